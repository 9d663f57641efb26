import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// `ostiary phone change-pin`, `add-biometrics` and `remove-biometrics` against two server processes.
@Suite("Changing the second factor from a shell", .serialized)
struct SecondFactorChangeTests {
    private func journey(on engine: DatabaseEngine, _ body: (Person, TemporaryFolder) async throws -> Void) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await body(person, pair.folder)
        try await pair.stop()
    }

    @Test(
        "S4-43 S4-44 S4-85 S4-87 change-pin: the old PIN is wrong afterwards (exit 3), the new one logs in; a wrong one changes nothing",
        arguments: DatabaseEngine.allCases)
    func changePIN(on engine: DatabaseEngine) async throws {
        try await journey(on: engine) { person, folder in
            let newPIN = "941738"
            let refused = try await person.phone.run(["change-pin"], pins: [Person.wrongPINs[0]])
            #expect(refused.code == 3)
            let changed = try await person.phone.run(["change-pin"], pins: [Person.pin, newPIN])
            #expect(changed.code == 0, "\(changed.events) \(changed.complaints)")
            #expect(
                changed.secondFactors.map { $0.info?["context"]?.string }
                    == ["PIN_CHANGE_VERIFY", "PIN_CHANGE_VERIFY", "PIN_CHANGE_SET", "PIN_CHANGE_SET"])
            #expect(changed.secondFactors.allSatisfy { $0["session"] == nil })
            #expect(try await person.logIn(pins: [Person.pin], in: folder).outcome.code == 3)
            #expect(try await person.logIn(pins: [newPIN], in: folder).outcome.code == 0)
        }
    }

    @Test(
        "S4-32 S4-41 S4-42 add-biometrics, logins by the simulated sensor, a closed prompt, a changed finger, and remove-biometrics",
        arguments: DatabaseEngine.allCases)
    func biometrics(on engine: DatabaseEngine) async throws {
        try await journey(on: engine) { person, folder in
            let confirm = ["--simulated-biometrics", "confirm"]
            #expect(try await person.phone.run(["add-biometrics"], pins: [Person.pin]).code == 1, "a terminal has no sensor")
            #expect(try await person.phone.run(["add-biometrics", "--simulated-biometrics", "cancel"]).code == 3)
            let added = try await person.phone.run(["add-biometrics"] + confirm, pins: [Person.pin])
            #expect(added.code == 0, "\(added.events) \(added.complaints)")
            #expect(added.secondFactors.map { $0.info?["showBiometrics"]?.bool }.prefix(2) == [true, false])

            let login = try await person.logIn(confirm, pins: [], in: folder)
            #expect(login.outcome.code == 0, "\(login.outcome.events)")
            #expect(try await person.backend.session(login.nonce).loggedin)
            #expect(try await person.phone.run(["app-login"] + confirm).code == 0)
            #expect(try await person.logIn(["--simulated-biometrics", "cancel"], pins: [Person.pin], in: folder).outcome.code == 0)
            let removed = try await person.phone.run(["remove-biometrics"] + confirm)
            #expect(removed.code == 0)
            let after = try await person.logIn(confirm, pins: [Person.pin], in: folder)
            #expect(after.outcome.code == 0 && after.outcome.secondFactors.first?.info?["showBiometrics"] == .bool(false))

            #expect(try await person.phone.run(["add-biometrics"] + confirm, pins: [Person.pin]).code == 0)
            let changed = try await person.logIn(["--simulated-biometrics", "changed"], pins: [Person.pin], in: folder)
            #expect(changed.outcome.code == 0)
            #expect(changed.outcome.events.contains { $0["name"] == .string("biometricsChanged") })
        }
    }
}
