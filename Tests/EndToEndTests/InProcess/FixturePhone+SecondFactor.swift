import OstiaryMobile
import Testing

@testable import OstiaryPhone

extension FixturePhone {
    /// What the person does when a second factor is asked for.
    enum Input: Sendable {
        case pin(String)
        case biometric(SimulatedBiometrics.Answer)
        case both(String)
        /// A PIN that is no text anywhere.
        case typed(@Sendable (PIN) -> Void)
    }

    func enter(_ input: Input) {
        switch input {
        case .pin(let digits): enter(digits)
        case .typed(let type):
            let pin = PIN()
            type(pin)
            ostiary.sfInput(pin)
            pin.clear()
        case .biometric(let answer): ostiary.sfInput(.simulated(answer))
        case .both(let digits):
            let pin = PIN()
            for digit in digits.utf8 { pin.append(digit: digit - 48) }
            ostiary.sfInput(pin, and: .simulated(.confirm))
        }
    }

    /// Logs a browser in, answering with these inputs, one after the other; cancels when there is none left.
    func logIn(_ code: [UInt8], by inputs: [Input]) async throws -> (end: End, asked: [SecondFactorInfo]) {
        ostiary.start(with: code)
        return try await answer(inputs)
    }

    func logInToApp(by inputs: [Input]) async throws -> (end: End, asked: [SecondFactorInfo]) {
        ostiary.startAppLogin()
        return try await answer(inputs)
    }

    private func answer(_ inputs: [Input]) async throws -> (end: End, asked: [SecondFactorInfo]) {
        var left = inputs[...]
        var asked: [SecondFactorInfo] = []
        while true {
            switch try await until({ Self.happening($0) }) {
            case .confirm(let session, let accounts): ostiary.setAccount(accounts.first, for: session)
            case .factor(let factor):
                asked.append(factor.secondFactorInfo)
                guard !factor.stopped, factor.secondFactorInfo.result != .success else { continue }
                if let input = left.popFirst() { enter(input) } else { ostiary.sfCancel() }
            case .over(let end): return (end, asked)
            }
        }
    }

    /// Changes the second factor, answering each question with the next input; returns all that was asked and told, up to the end.
    /// - Parameter before: what happens before such an answer, while no message is under way.
    func manage(
        _ begin: (Ostiary) -> Void, _ inputs: [Input], before: (SecondFactorInfo) async throws -> Void = { _ in }
    ) async throws -> [SecondFactorInfo] {
        var left = inputs[...]
        var asked: [SecondFactorInfo] = []
        begin(ostiary)
        while true {
            let factor = try await until { event -> SecondFactor? in
                switch event {
                case .secondFactorStarted(let factor), .secondFactorUpdated(let factor): factor
                default: nil
                }
            }
            #expect(factor.session == nil)
            asked.append(factor.secondFactorInfo)
            if factor.stopped { return asked }
            guard factor.secondFactorInfo.result != .success else { continue }
            try await before(factor.secondFactorInfo)
            if let input = left.popFirst() { enter(input) } else { ostiary.sfCancel() }
        }
    }

    private enum Happening: Sendable {
        case confirm(Session, [Account])
        case factor(SecondFactor)
        case over(End)
    }

    private static func happening(_ event: OstiaryEvent) -> Happening? {
        switch event {
        case .confirmLogin(let session, let accounts): .confirm(session, accounts)
        case .secondFactorStarted(let factor), .secondFactorUpdated(let factor): .factor(factor)
        default: end(event).map(Happening.over)
        }
    }
}
