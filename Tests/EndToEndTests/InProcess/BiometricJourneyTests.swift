import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Biometrics against both real servers. On PostgreSQL too where what they do stays in rows; a hundred tries are a long way to the same count, and what the
/// sensor of a phone says is no row.
@Suite("Biometrics, end to end")
struct BiometricJourneyTests {
    private func world(_ body: @Sendable @escaping (ServersFixture, FixturePhone) async throws -> Void) async throws {
        try await ServersFixture.run(penalties: [0, 0, 0, 0]) { world in
            let phone = try world.phone(biometrics: SimulatedBiometrics())
            try await world.enrol(phone)
            world.clock.advance(61)
            let added = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            #expect(added.map(\.context) == [.biometricsAdd, .biometricsAdd, .biometricsAdd])
            #expect(added.map(\.showBiometrics).prefix(2) == [true, false])
            #expect(added.map(\.result) == [nil, nil, .success])
            try await body(world, phone)
        }
    }

    private func logIn(_ world: ServersFixture, _ phone: FixturePhone, by inputs: [FixturePhone.Input]) async throws -> (
        isIn: Bool, asked: [SecondFactorInfo]
    ) {
        let nonce = world.backend.newNonce()
        let result = try await phone.logIn(world.backend.loginCode(nonce), by: inputs)
        let isIn = result.end.session != nil
        #expect(try await world.backend.isLoggedIn(nonce) == isIn)
        return (isIn, result.asked)
    }

    @Test(
        "S4-28 S4-31 S4-32 S4-33 S4-41 S4-46 S4-47 S4-49 added, biometrics log in alone and with the PIN, and the PIN still does by itself",
        .onBothEngines)
    func ways() async throws {
        try await world { world, phone in
            for inputs in [[FixturePhone.Input.biometric(.confirm)], [.both(Person.pin)], [.pin(Person.pin)]] {
                let result = try await logIn(world, phone, by: inputs)
                #expect(result.isIn && result.asked.map(\.result) == [nil, .success])
                #expect(result.asked.first?.showBiometrics == true)
            }
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test("S4-42 removed by the feature itself, biometrics are no longer shown, and the PIN logs in", .onBothEngines)
    func removes() async throws {
        try await world { world, phone in
            let removed = try await phone.manage({ $0.removeBiometrics() }, [.biometric(.confirm)])
            #expect(removed.map(\.result) == [nil, .success] && removed.map(\.context).allSatisfy { $0 == .biometricsRemove })
            let result = try await logIn(world, phone, by: [.pin(Person.pin)])
            #expect(result.isIn && result.asked.first?.showBiometrics == false)
        }
    }

    @Test(
        "S4-65 S4-66 S4-67 S4-68 after five wrong PINs the feature logs in and gives the tries back, on the server and on the screen",
        .onBothEngines)
    func resets() async throws {
        try await world { world, phone in
            let wrong = (Person.wrongPINs + ["602214"]).map { FixturePhone.Input.pin($0) }
            let result = try await logIn(world, phone, by: wrong + [.biometric(.confirm)])
            #expect(result.isIn)
            #expect(result.asked.map(\.blocked) == [false, false, false, false, false, true, false])
            #expect(result.asked.last?.failedAttempts == 0)
            #expect(try await world.counted().failed == 0)
            #expect(try await logIn(world, phone, by: [.pin(Person.pin)]).isIn)
        }
    }

    @Test("The loop of wrong PINs and resets by a feature ends at a hundred tries since the last right PIN: nothing is taken any more")
    func resetLoop() async throws {
        try await world { world, phone in
            let wrong = Person.wrongPINs.map { FixturePhone.Input.pin($0) }
            for _ in 0..<25 {
                let result = try await logIn(world, phone, by: wrong + [.biometric(.confirm)])
                guard result.isIn else { break }
            }
            let evaluations = try await world.counted().evaluations
            let last = try await logIn(world, phone, by: [.biometric(.confirm)])
            #expect(!last.isIn && last.asked.last?.blocked == true)
            let again = try await logIn(world, phone, by: [.pin(Person.pin)])
            #expect(!again.isIn)
            #expect(try await world.counted().evaluations == evaluations)
        }
    }

    @Test("A change of the device's features ends the key: one error, and the PIN goes on")
    func changed() async throws {
        try await ServersFixture.run { world in
            let sensor = SimulatedBiometrics()
            let phone = try world.phone(biometrics: sensor)
            try await world.enrol(phone)
            world.clock.advance(61)
            _ = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            sensor.features.insert("left thumb")
            let result = try await logIn(world, phone, by: [.biometric(.confirm), .pin(Person.pin)])
            #expect(result.isIn && result.asked.map(\.showBiometrics) == [true, false, false])
        }
    }

    @Test(
        "Whichever message of a login by a feature or its answer is lost, the login succeeds", .onBothEngines, arguments: 0..<2,
        [Line.Fault.requestLost, .answerLost])
    func lost(_ number: Int, _ fault: Line.Fault) async throws {
        try await world { world, phone in
            let nonce = world.backend.newNonce()
            let code = try await world.backend.loginCode(nonce)
            await world.line.lose(fault, at: number)
            #expect(try await phone.logIn(code, by: [.biometric(.confirm)]).end.session != nil)
        }
    }
}
