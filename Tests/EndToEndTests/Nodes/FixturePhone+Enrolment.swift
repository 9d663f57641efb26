@testable import OstiaryMobile
@testable import OstiaryPhone

extension FixturePhone {
    /// What a phone was told that has read an enrolment code.
    enum Claim: Sendable {
        /// What it is about: the code is this phone's, and it asks whether to go on.
        case given(Session)
        /// Another phone has it, or it is over.
        case refused
        /// Nothing that says either.
        case unheard
    }

    /// Reads an enrolment code, over a network on which anything may be lost. Who reads it again asks under the same device key.
    func read(_ code: [UInt8]) async -> Claim {
        let id: Session.ID
        do throws(OstiaryError) { id = try await ostiary.core().engine.begin(.bytes(code)) } catch { return .unheard }
        let claim = await log.next(within: .aHang) { event -> Claim? in
            guard Self.session(of: event) == id else { return nil }
            if case .confirmEnrol(let session, _, _) = event { return .given(session) }
            return Self.end(event).map { $0 == .failed(.enrolmentExpired) ? Claim.refused : Claim.unheard }
        }
        return claim ?? .unheard
    }

    /// Goes on with what was read: sets a first PIN, and shows the code that is typed into the browser.
    /// - Parameter confirm: types it, for the account that waits for it.
    func goOn(with session: Session, confirm: (Account?, String) async -> Void) async {
        ostiary.setAccount(nil, for: session)
        var entered = 0
        // Where nothing is heard in all that time it is over as well.
        while let step = await log.next(within: .aHang, { Self.step($0, of: session.id) }) {
            switch step {
            case .pin:
                // Where a server could not be asked it is asked for again.
                entered += 1
                if entered <= 3 { enter(Person.pin) } else { ostiary.sfCancel() }
            case .code(let account, let code): await confirm(account, code)
            case .over: return
            }
        }
    }

    private enum Step: Sendable {
        case pin
        case code(Account?, String)
        case over
    }

    private static func step(_ event: OstiaryEvent, of id: Session.ID) -> Step? {
        guard session(of: event) == id else { return nil }
        switch event {
        case .secondFactorStarted(let factor), .secondFactorUpdated(let factor): return factor.stopped ? nil : Step.pin
        case .enrolConfirmation(let session, let code): return .code(session.account, code)
        default: return end(event).map { _ in Step.over }
        }
    }
}
