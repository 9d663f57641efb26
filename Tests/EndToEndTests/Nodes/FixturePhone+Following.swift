import OstiaryMobile

@testable import ostiary

extension FixturePhone {
    /// Logs a browser in, and hears nothing but what is about that: what becomes meanwhile of logins of before, which end at other nodes, is no end of this one.
    /// - Returns: how it ended, and what came of each PIN.
    /// - Throws: what keeps it from beginning.
    func follow(_ code: [UInt8], pins: [String]) async throws -> (end: End, answers: [SecondFactorInfo]) {
        let id = try await ostiary.begin(with: code).id
        var left = pins[...]
        var answers: [SecondFactorInfo] = []
        while true {
            switch try await until({ Self.step($0, of: id) }) {
            case .confirm(let session, let accounts): ostiary.setAccount(accounts.first, for: session)
            case .factor(let info):
                if info.result != nil { answers.append(info) }
                guard info.result != .success else { continue }
                if let pin = left.popFirst() { enter(pin) } else { ostiary.sfCancel() }
            case .over(let end): return (end, answers)
            }
        }
    }

    private enum Step: Sendable {
        case confirm(Session, [Account])
        case factor(SecondFactorInfo)
        case over(End)
    }

    private static func step(_ event: OstiaryEvent, of id: Session.ID) -> Step? {
        switch event {
        case .confirmLogin(let session, let accounts) where session.id == id: .confirm(session, accounts)
        case .secondFactorStarted(let factor) where factor.session?.id == id: .factor(factor.secondFactorInfo)
        case .secondFactorUpdated(let factor)
        where factor.session?.id == id && (!factor.stopped || factor.secondFactorInfo.result == .success):
            .factor(factor.secondFactorInfo)
        case .sessionLogin(let session) where session.id == id, .sessionStop(let session) where session.id == id: end(event).map(Step.over)
        case .error(_, let session?) where session.id == id: end(event).map(Step.over)
        default: nil
        }
    }
}
