import Authentication
import Database
import Foundation
import HTTPService
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// Both real servers, one of which is put back to an older copy of its database.
@Suite("After a restore of either database")
struct RestoredDatabaseTests {
    @Test("The second-factor server is put back: numbers it forgot stay used up, tries stay spent, and the next right PIN logs in", .onBothEngines)
    func secondFactorRestored() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.secondFactorDatabase)
            try await phone.logIn(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let wrong = try await phone.phone.evaluate(try shown.attempt())
            #expect(wrong.m2?.tries.failed == 1)
            try await copy.restore(to: servers.secondFactorDatabase)
            let again = try await phone.phone.evaluate(try shown.attempt())
            #expect(again.status == .ok && again.m2?.tries.failed == 2)
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            #expect(try await servers.status(of: nonce).loggedIn)
        }
    }

    @Test("The authentication server is put back: the other tells it the numbers, and the phone notices nothing", .onBothEngines)
    func authenticationRestored() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.database)
            for _ in 0..<3 { try await phone.logIn(try servers.nonce()) }
            try await copy.restore(to: servers.database)
            let calls = servers.secondFactor.calls
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            #expect(try await servers.status(of: nonce).loggedIn)
            // A ticket that was behind, the ticket after it, and the proof.
            #expect(servers.secondFactor.calls - calls == 3)
            try await phone.logIn(try servers.nonce())
            #expect(servers.secondFactor.calls - calls == 5)
        }
    }

    @Test("The authentication server forgot in a restore that it closed an account: the other remembers, and the account goes again", .onBothEngines)
    func closed() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.database)
            try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await servers.services.closes.run(at: servers.now) == 1)
            try await copy.restore(to: servers.database)
            let nonce = try servers.nonce()
            let shown = try await phone.scan(try await servers.link(nonce))
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .accountDeleted)
            #expect(try await servers.status(of: nonce).loggedIn == false)
            await #expect(throws: AccountError.unknown) {
                try await servers.services.accounts.account(phone.account, at: servers.server)
            }
        }
    }

    @Test("Another second-factor server at the old address: nothing that it signs is accepted, long before the next look at its identity")
    func impostor() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let attempt = try shown.attempt()
            let impostor = try Impostor(at: servers.now)
            servers.secondFactor.bend { bytes in impostor.signed(bytes) }
            #expect(try await phone.phone.evaluate(attempt).status == .secondFactorUnavailable)
            servers.secondFactor.bend(nil)
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            servers.secondFactor.bend { bytes in impostor.signed(bytes) }
            #expect(await servers.refusal { try await shown.send(decision) } == .secondFactorUnavailable)
            servers.secondFactor.bend(nil)
            #expect(try await shown.send(decision).result == .loggedIn)
        }
    }
}

/// Answers what the true second-factor server answered, under keys of its own.
private struct Impostor: Sendable {
    private let key: OperatorKey

    init(at now: Instant) throws { key = try OperatorKey(seed: [UInt8](repeating: 9, count: 32)) }

    func signed(_ bytes: [UInt8]) -> [UInt8] {
        guard let answer = try? SecondFactorAnswer(decoding: bytes) else { return bytes }
        return Encoded(answer, signedBy: key).bytes
    }
}
