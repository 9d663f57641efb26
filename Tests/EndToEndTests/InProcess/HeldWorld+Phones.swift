import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What phones of before do, which know nothing of it, and a device that waits for one.
extension HeldWorld {
    /// A phone still holds its logins, and hears of the other phone of its person what nobody told it yet.
    func news() async throws {
        let device = try held.text("accounts", "alice on alice", "answer", "deviceid")
        let expected = try held.all("sessions").filter { session in
            session.facts["answer"]?["deviceid"] == .string(device) && session.facts["answer"]?["loggedin"] == .bool(true)
        }
        let alice = try world.phone("phones/alice")
        let news = EventLog(alice.ostiary)
        let sessions = try await alice.ostiary.refresh().filter(\.isLoggedIn)
        #expect(sessions.count == expected.count)
        let newDevice = await news.next(within: .aHang) { event -> String? in
            if case .newDevice(let device, _) = event { device.name } else { nil }
        }
        #expect(newDevice == "terminal on pocket")
        let newPIN = await news.next(within: .aHang) { event -> String? in
            if case .pinReplacedByBiometric(let pin, _) = event { pin.deviceName } else { nil }
        }
        #expect(newPIN == "terminal on pocket")
        for session in sessions { try await alice.ostiary.end(session) }
        for (session, facts) in expected {
            let nonce = try #require(facts["nonce"]?.string)
            #expect(try await world.backend.isLoggedIn(nonce) == false, "\(session)")
        }
    }

    /// The PIN logs in, one that was changed too, and so does a biometric; none of them costs a try.
    func factors() async throws {
        let (pin, changed) = (try held.text("pins", "usual"), try held.text("pins", "changed"))
        let failed = try await world.counted().failed
        try await world.expectLogin(of: "alice", by: .pin(pin))
        try await world.expectLogin(of: "bob", by: .pin(changed))
        try await world.expectLogin(of: "bob", by: .biometric(.confirm))
        #expect(try await world.counted().failed == failed)
    }

    /// Who typed one wrong PIN has one try fewer: the right one is told with it, and four more wrong ones block.
    func oneWrong() async throws {
        let nonce = try await world.expectLogin(of: "second", by: .pin(try held.text("pins", "changed")))
        #expect(try await world.backend.session(nonce)["pinattemptsfailed"] == .number(1))

        let carol = try world.phone("phones/carol")
        let wrong: [FixturePhone.Input] = try held.wrongPINs().dropFirst().map { .pin($0) }
        let login = try await carol.logIn(world.backend.loginCode(world.backend.newNonce()), by: wrong)
        #expect(login.asked.map(\.failedAttempts) == [1, 2, 3, 4, 5])
        #expect(login.end == .failed(.secondFactorBlocked), "\(login)")
    }

    /// Who is blocked stays blocked, and no PIN of theirs is evaluated, until the block is lifted.
    func blocked() async throws {
        let pin = try held.text("pins", "usual")
        let evaluations = try await world.counted().evaluations
        let dave = try world.phone("phones/dave")
        let login = try await dave.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.pin(pin)])
        #expect(login.end == .failed(.secondFactorBlocked), "\(login)")
        #expect(login.asked.last?.failedAttempts == 5 && login.asked.last?.blocked == true)
        #expect(try await world.counted().evaluations == evaluations)
        let reset = try await world.backend.call(.post, "accounts/\(try held.account("dave on dave"))/secondfactor/reset").status
        #expect(reset == 200)
        try await world.expectLogin(of: "dave", by: .pin(pin))
    }

    /// A device waits on with the code that it shows: a phone brings it, and the device has tokens. Earlier programs knew no such device.
    func device() async throws {
        guard held.seen["device"] != nil else { return }
        #expect(try await world.poll(held) == "400 authorization_pending")
        // As long as a device leaves between two questions, and more.
        world.clock.advance(10)
        let uri = Array(try held.text("device", "uri").utf8)
        let login = try await world.phone("phones/bob").logIn(uri, by: [.pin(try held.text("pins", "changed"))])
        #expect(login.end.session != nil, "\(login)")
        #expect(try await world.poll(held) == "200 tokens")
    }
}

extension ServersFixture {
    /// A login with a phone of before.
    /// - Returns: its nonce.
    @discardableResult
    func expectLogin(of person: String, by input: FixturePhone.Input) async throws -> String {
        let phone = try self.phone("phones/\(person)", biometrics: SimulatedBiometrics())
        let nonce = backend.newNonce()
        let login = try await phone.logIn(backend.loginCode(nonce), by: [input])
        #expect(login.end.session != nil, "\(person): \(login)")
        #expect(try await backend.isLoggedIn(nonce), "\(person)")
        return nonce
    }

    /// How a device of before is answered that asks for its tokens.
    fileprivate func poll(_ held: HeldFixture) async throws -> String {
        let (code, grant) = (try held.text("device", "code"), try held.text("device", "grant").replacing(":", with: "%3A"))
        let answer = try await line.call(
            .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
            body: "client_id=tv&grant_type=\(grant)&device_code=\(code)")
        return "\(answer.status.code) \(try JSONLine(String(buffer: answer.body))["error"]?.string ?? "tokens")"
    }
}
