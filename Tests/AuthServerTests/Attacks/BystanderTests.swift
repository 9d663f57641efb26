import Authentication
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTestTraits
import Testing

@testable import AuthServer

/// Somebody who has no account sees the code over a shoulder, and sends what he likes while its owner goes on.
@Suite("Attack: strangers who see the code")
struct BystanderTests {
    /// What strangers are told who look at a login, each with a key of his own.
    private func look(_ count: Int, at link: Encoded<LoginLink>, _ servers: ServersFixture) async throws -> [Status] {
        let stranger = try await TestPhone(servers)
        var told: [Status] = []
        for number in 0..<count {
            let message = L1(link: link, via: .scan, clientInfo: "stranger \(number)")
            told.append(try await stranger.send(message.encoded, try TestPhone.ephemeral()).status)
        }
        return told
    }

    @Test("A22: however often strangers look, before the PIN or after it, the right PIN logs in and no try is lost", arguments: [8, 64])
    func floods(count: Int) async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let link = try await servers.link(nonce, .still)
            let shown = try await phone.scan(link)
            #expect(try await look(count, at: link, servers).allSatisfy { $0 == .ok })
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            #expect(try await look(count, at: link, servers).allSatisfy { $0 == .sessionTaken })
            let proof = try phone.phone.prove(attempt)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: proof)
            #expect(try await shown.send(decision).result == .loggedIn)
            #expect(try await look(1, at: link, servers) == [.sessionOver])
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.accountID == phone.account && status.authentication?.failedTries == 0)
            let next = try servers.nonce()
            try await phone.logIn(next)
            #expect(try await servers.status(of: next).authentication?.failedTries == 0)
        }
    }

    @Test("A22: a flood of L1, of codes and of AppLogins, adds no row to any table")
    func nothingKept() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let stranger = try await TestPhone(servers)
            let thief = EnrolledPhone(phone: stranger, account: phone.account, enrolling: phone.enrolling)
            let link = try await servers.link(try servers.nonce(), .still)
            let before = try await servers.snapshot()
            #expect(try await look(64, at: link, servers).allSatisfy { $0 == .ok })
            for _ in 0..<32 {
                let ephemeral = try TestPhone.ephemeral()
                #expect(try await stranger.send(try thief.sealedAppLogin(ephemeral)).status == .refused)
                #expect(try await phone.openApp().screen.purpose == .app)
            }
            #expect(try await servers.snapshot() == before)
            try await phone.logInApp()
        }
    }

    @Test("What a phone was shown is good after the server was started anew: nothing of it is in memory", .onBothEngines)
    func restart() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let shown = [try await phone.scan(try await servers.link(nonce)), try await phone.openApp()]
            let again = try await servers.start()
            try await Application(router: again.publicRouter).test(.router) { client in
                func send(_ message: [UInt8], _ ephemeral: EphemeralKey) async throws -> Answer {
                    let request = try phone.phone.seal(message, ephemeral)
                    let body = try await client.execute(uri: "/ap1", method: .post, body: ByteBuffer(bytes: request.bytes)) { $0.body }
                    return try request.open(Array(buffer: body), from: phone.phone.bundle.operatorKeys, clock: servers.now)
                }
                for login in shown {
                    let attempt = try login.attempt()
                    #expect(try await send(try phone.phone.m1(attempt).message.bytes, login.ephemeral).status == .ok)
                    let decision = try login.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
                    let answer = try await send(decision.bytes, login.ephemeral)
                    #expect(answer.status == .ok)
                    #expect(try L6(decoding: answer.body).result == .loggedIn)
                }
            }
            #expect(try await servers.status(of: nonce).loggedIn)
        }
    }
}
