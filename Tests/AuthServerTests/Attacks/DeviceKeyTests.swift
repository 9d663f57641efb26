import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Device keys leave with their accounts")
struct DeviceKeyTests {
    @Test("Seventy accounts are enrolled and deleted beside one that stays, by its PIN: the seventieth is taken like the first")
    func seventyRounds() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            for _ in 0..<70 {
                let further = try await phone.enrolFurther()
                try await servers.services.accounts.delete(further.account, at: servers.server, by: .backend, now: servers.now)
                #expect(try await servers.services.closes.run(at: servers.now) == 1)
            }
            #expect(try await keys(servers) == 1)
            try await phone.logIn(try servers.nonce())
        }
    }

    @Test("What was deleted while the second-factor server was down leaves when it is back", .onBothEngines)
    func later() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let further = try await phone.enrolFurther()
            servers.secondFactor.isDown = true
            try await servers.services.accounts.delete(further.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await servers.services.closes.run(at: servers.now) == 0)
            #expect(try await keys(servers) == 2)
            servers.secondFactor.isDown = false
            servers.clock.advance(3)
            #expect(try await servers.services.closes.run(at: servers.now) == 1)
            #expect(try await servers.services.closes.run(at: servers.now) == 0)
            #expect(try await keys(servers) == 1)
        }
    }

    @Test(
        "A14: the second-factor server is put back to before an account joined: its tries are refused as unknown, uncounted, and the older account goes on",
        .onBothEngines)
    func forgotten() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.secondFactorDatabase)
            let further = try await phone.enrolFurther()
            try await further.logIn(try servers.nonce())
            try await copy.restore(to: servers.secondFactorDatabase)
            let before = try await servers.counted()
            for _ in 0..<6 {
                let shown = try await further.scan(try await servers.link(try servers.nonce()))
                #expect(try await further.phone.evaluate(try shown.attempt()).status == .secondFactorUnknown)
            }
            #expect(try await servers.counted() == before)
            try await phone.logIn(try servers.nonce())
        }
    }

    /// How many device keys the second-factor server has.
    private func keys(_ servers: ServersFixture) async throws -> Int {
        try await servers.secondFactorDatabase.read { connection in
            try #require(try connection.one("SELECT SUM(LENGTH(device_keys)) / 65 AS number FROM instance")).int("number")
        }
    }
}

extension EnrolledPhone {
    /// One more account of this app, for which the PIN of this one vouches.
    func enrolFurther() async throws -> EnrolledPhone {
        let nonce = try servers.nonce()
        let newcomer = try await TestPhone(servers, sharing: phone)
        let enrolling = try await newcomer.scan(try await servers.invite(nonce))
        let attempt = TestAttempt(
            try phone.raw.question(.enrol, payload: enrolling.payload), account: account, ephemeral: enrolling.ephemeral)
        let evaluated = try await phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        let message = try newcomer.raw.accepting(enrolling.claimed, attempt.asking, evaluationKey: nil)
        let answer = try await newcomer.send(message.bytes, enrolling.ephemeral)
        guard answer.status == .ok else { throw answer.status }
        _ = try await servers.services.enrolments.confirm(nonce, code: enrolling.code, at: servers.server, by: .backend, now: servers.now)
        return EnrolledPhone(phone: newcomer, account: enrolling.screen.accountID, enrolling: enrolling)
    }
}
