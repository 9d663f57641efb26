import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Biometrics and changes of the PIN over both servers (protocol §7)", .againWithLostCommits)
struct SecondFactorChangeTests {
    @Test("A biometric is added by PIN, logs in, gives lost tries back, and is removed by itself")
    func biometrics() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            for _ in 0..<2 { _ = try await phone.phone.evaluate(try shown.attempt()) }
            let nonce = try servers.nonce()
            #expect(try await phone.logInByBiometric(nonce).result == .loggedIn)
            let facts = try #require(try await servers.status(of: nonce).authentication)
            #expect(facts.amr == ["bio", "mfa", "pop"] && facts.factors == ["bio"] && facts.failedTries == 2)
            #expect(try await phone.phone.evaluate(try shown.attempt()).m2?.tries.failed == 1)
            try await phone.proveByBiometric(.biometricsRemove, phone.fingerKey)
            #expect(await servers.refusal { try await phone.logInByBiometric(try servers.nonce()) } == .refused)
            try await phone.logIn(try servers.nonce())
        }
    }

    @Test("The PIN is changed twice, by PIN and by a biometric: each time the old epoch is over, and the other phone hears of the biometric's")
    func changes() async throws {
        try await ServersFixture.run { servers in
            let older = try await TestPhone(servers).enrol(try servers.nonce())
            let session = try #require(try await older.logInApp().sessionID)
            let phone = try await TestPhone(servers, device: "Nokia").enrol(try servers.nonce())
            try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
            let byPIN = try await phone.proveByPIN(.pinChangeVerify)
            #expect(try await phone.setPIN(byPIN.attempt, epoch: 2).epoch == 2)
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let old = try await phone.phone.evaluate(try shown.attempt())
            #expect(old.status == .wrongEpoch && old.m2?.epoch == 2)
            try await shown.logInByPIN(epoch: 2)
            #expect(try await phone.logInByBiometric(try servers.nonce(), epoch: 2).result == .loggedIn)
            let byBiometric = try await phone.proveByBiometric(.pinChangeVerify, epoch: 2)
            #expect(try await phone.setPIN(byBiometric.attempt, epoch: 3, byBiometric: true).epoch == 3)
            try await phone.scan(try await servers.link(try servers.nonce())).logInByPIN(epoch: 3)
            servers.clock.advance(1)
            let told = try await older.ping(session).extensions.notices.filter { $0.subject == .pinByBiometric }
            #expect(told.map(\.device) == ["Nokia"], "of the second change alone")
            servers.clock.advance(1)
            #expect(try await older.ping(session, after: told).extensions.notices.map(\.subject) == [.enrolled])
            #expect(await servers.refusal { try await phone.setPIN(byBiometric.attempt, epoch: 4, byBiometric: true) } == .refused)
        }
    }
}
