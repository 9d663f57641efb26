import AuthServer
import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Attempts at the authentication server (protocol §7)", .againWithLostCommits)
struct AttemptTests {
    private static func run(_ body: @Sendable @escaping (ServersFixture, EnrolledPhone, ShownLogin) async throws -> Void) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await body(servers, phone, try await phone.scan(try await servers.link(try servers.nonce())))
        }
    }

    @Test("A counted attempt brings the share; the same attempt again brings it again, free (S4-50)")
    func repeated() async throws {
        try await Self.run { servers, phone, shown in
            let attempt = try shown.attempt()
            let first = try await phone.phone.evaluate(attempt)
            let second = try await phone.phone.evaluate(attempt)
            #expect(first.status == .ok && second.status == .ok)
            #expect(first.m2?.serverShare == phone.enrolling.screen.serverShare)
            #expect(first.evaluation?.evaluation == second.evaluation?.evaluation)
            #expect(second.evaluation?.tries.failed == first.evaluation?.tries.failed)
        }
    }

    @Test("A second attempt waits ten seconds for one that got no answer, then takes its place")
    func busy() async throws {
        try await Self.run { servers, phone, shown in
            let (first, second) = (try shown.attempt(), try shown.attempt())
            servers.secondFactor.loseAnswers(1)
            #expect(try await phone.phone.evaluate(first).status == .secondFactorUnavailable)
            #expect(try await phone.phone.evaluate(second).status == .busy)
            servers.clock.advance(10)
            let evaluated = try await phone.phone.evaluate(second)
            #expect(evaluated.status == .ok && evaluated.m2?.tries.failed == 2)
        }
    }

    @Test("Five attempts against a dead second-factor server cost nothing")
    func deadServer() async throws {
        try await Self.run { servers, phone, shown in
            servers.secondFactor.isDown = true
            for _ in 0..<5 {
                #expect(try await phone.phone.evaluate(try shown.attempt()).status == .secondFactorUnavailable)
                servers.clock.advance(10)
            }
            servers.secondFactor.isDown = false
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).m2?.tries.failed == 1)
            let proof = try phone.phone.prove(attempt)
            #expect(try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: proof)).result == .loggedIn)
        }
    }

    @Test("However many attempts are begun at a second-factor server that falls silent, one try is counted, and a right PIN gives it back")
    func silentServer() async throws {
        try await Self.run { servers, phone, shown in
            for _ in 0..<4 {
                servers.secondFactor.loseAnswers(1)
                #expect(try await phone.phone.evaluate(try shown.attempt()).status == .secondFactorUnavailable)
                servers.clock.advance(10)
            }
            let silent = try await servers.counted()
            #expect(silent.highest - silent.proven == 1)
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).m2?.tries.failed == 2)
            let proof = try phone.phone.prove(attempt)
            #expect(try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: proof)).result == .loggedIn)
            let after = try await servers.counted()
            #expect(after.highest == after.proven)
        }
    }

    @Test("Wrong PINs are counted, then penalised, and the right one works when the penalty is over")
    func penalties() async throws {
        try await Self.run { servers, phone, shown in
            for failed in UInt8(1)...3 { #expect(try await phone.phone.evaluate(try shown.attempt()).m2?.tries.failed == failed) }
            let refused = try await phone.phone.evaluate(try shown.attempt())
            #expect(refused.status == .penalised && refused.m2?.tries.wait == 30 && refused.m2?.serverShare == nil)
            servers.clock.advance(30)
            #expect(try await shown.logInByPIN().result == .loggedIn)
        }
    }

    @Test("S4-57 blocked after five, back after a reset, and both servers wrote it down")
    func blocked() async throws {
        try await Self.run { servers, phone, _ in
            for _ in 0..<5 {
                let shown = try await phone.scan(try await servers.link(try servers.nonce()))
                #expect(try await phone.phone.evaluate(try shown.attempt()).status == .ok)
                servers.clock.advance(300)
            }
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .blocked)
            try await servers.services.accounts.resetSecondFactor(of: phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await shown.logInByPIN().result == .loggedIn)
            let (server, store) = (servers.server, SQLAuthenticationStore(database: servers.database, key: .random()))
            let kinds = try await store.read { rows in try rows.auditEntries(of: server, limit: 9).map(\.kind) }
            #expect(kinds.contains(.secondFactorReset) && kinds.contains(.secondFactorResetAsked))
            for _ in 0..<5 {
                let shown = try await phone.scan(try await servers.link(try servers.nonce()))
                #expect(try await phone.phone.evaluate(try shown.attempt()).status == .ok)
                servers.clock.advance(301)
            }
            await #expect(throws: AccountError.resetRefused(.tooMany)) {
                try await servers.services.accounts.resetSecondFactor(of: phone.account, at: servers.server, by: .backend, now: servers.now)
            }
        }
    }

    @Test("Strangers burn no tries: what is not signed by the account's key touches nothing")
    func strangers() async throws {
        try await Self.run { servers, phone, shown in
            let stranger = try await TestPhone(servers)
            let before = try await servers.snapshot()
            let calls = servers.secondFactor.calls
            #expect(try await stranger.evaluate(try shown.attempt()).status == .refused)
            #expect(servers.secondFactor.calls == calls)
            #expect(try await servers.snapshot() == before)
        }
    }

    @Test("An authentication server that forgot its numbers catches up by itself")
    func forgotten() async throws {
        try await Self.run { servers, phone, shown in
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .ok)
            try await servers.database.transaction { try $0.execute("UPDATE instance SET last = 0") }
            #expect(try await phone.phone.evaluate(try shown.attempt()).m2?.tries.failed == 2)
        }
    }

    @Test("A login needs the answer of the second-factor server itself: nothing that was bent on the way is believed")
    func bentAnswers() async throws {
        try await Self.run { servers, phone, shown in
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            for position in [10, 40, 100, 200, 300] {
                servers.secondFactor.bend { answer in
                    var bent = answer
                    bent[bent.count - 1 - position] ^= 1
                    return bent
                }
                #expect(await servers.refusal { try await shown.send(decision) } == .secondFactorUnavailable)
            }
            servers.secondFactor.bend(nil)
            #expect(try await shown.send(decision).result == .loggedIn)
        }
    }

    @Test("A wrong second-factor signature is refused, and the session can go on")
    func wrongProof() async throws {
        try await Self.run { servers, phone, shown in
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let wrong = try shown.decision(attempt: attempt.id, method: .pin, proof: [UInt8](repeating: 3, count: 64))
            #expect(await servers.refusal { try await shown.send(wrong) } == .refused)
            let other = try shown.attempt()
            let unasked = try shown.decision(attempt: other.id, method: .pin, proof: try phone.phone.prove(other))
            #expect(await servers.refusal { try await shown.send(unasked) } != nil)
            #expect(try await shown.logInByPIN().result == .loggedIn)
        }
    }

    @Test("The last account of a phone closes its instance, as soon as the second-factor server can be told")
    func closed() async throws {
        try await Self.run { servers, phone, shown in
            servers.secondFactor.isDown = true
            let deletion = try Encoded(Delete(accountID: phone.account, time: servers.now), signedBy: phone.phone.sign)
            for _ in 0..<2 {
                #expect(try await phone.phone.send(deletion.bytes, try TestPhone.ephemeral()).status == .ok)
            }
            #expect(try await servers.services.closes.run(at: servers.now) == 0)
            servers.secondFactor.isDown = false
            #expect(try await servers.services.closes.run(at: servers.now) == 0)
            servers.clock.advance(2)
            #expect(try await servers.services.closes.run(at: servers.now) == 1)
            #expect(try await servers.services.closes.run(at: servers.now + 10) == 0)
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .accountDeleted)
        }
    }
}
