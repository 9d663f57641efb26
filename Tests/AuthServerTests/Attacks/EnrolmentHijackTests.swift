import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@Suite("Attack 12: enrolment hijack")
struct EnrolmentHijackTests {
    @Test("Of two phones that scan one enrolment code at once, one has it and the other is told", .onBothEngines)
    func twoPhones() async throws {
        try await ServersFixture.run { servers async throws in
            for _ in 0..<4 {
                let link = try await servers.invite(try servers.nonce())
                let phones = [try await TestPhone(servers), try await TestPhone(servers, device: "Thief")]
                let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
                    for phone in phones {
                        group.addTask { try await phone.send(phone.raw.claim(link).encoded, try TestPhone.ephemeral()).status }
                    }
                    return try await group.reduce(into: Set<Status>()) { $0.insert($1) }
                }
                #expect(statuses == [.ok, .enrolUsed])
            }
        }
    }

    @Test("A thief who is first is seen in the browser, has no code there, and cannot log in; three wrong codes remove his account", .onBothEngines)
    func thiefIsFirst() async throws {
        try await ServersFixture.run { servers async throws in
            let nonce = try servers.nonce()
            let link = try await servers.invite(nonce)
            let thief = try await TestPhone(servers, device: "Thief").scan(link)
            _ = try await thief.finish()
            #expect(await servers.refusal { try await TestPhone(servers).scan(link) } == .enrolUsed)
            #expect(try await servers.progress(nonce) == .waitingForCode(device: "Thief", triesLeft: 3))
            let app = EnrolledPhone(phone: thief.phone, account: thief.screen.accountID, enrolling: thief)
            #expect(await servers.refusal { try await app.openApp() } == .accountPending)
            let shown = try await app.scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await shown.logInByPIN() } == .accountPending)

            for left in UInt8(1)...2 {
                #expect(try await servers.confirm(nonce, wrong(thief.code)) == .wrong(triesLeft: 3 - left))
            }
            #expect(try await servers.confirm(nonce, wrong(thief.code)) == .removed)
            await #expect(throws: ConfirmationError.nothingToConfirm) { try await servers.confirm(nonce, thief.code) }
            #expect(try await servers.progress(nonce) == .failed(.wrongCodes))
            #expect(try await thief.wait().status == .accountDeleted)
            #expect(try await servers.services.closes.run(at: servers.now) == 1)
            #expect(try await thief.phone.evaluate(try thief.attempt()).status == .refused)
        }
    }

    /// Another code of the right form.
    private func wrong(_ code: String) -> String { (code.first == "0" ? "1" : "0") + code.dropFirst() }

    @Test("Codes typed 32 times at once are three tries, not 32", .onBothEngines)
    func manyCodes() async throws {
        try await ServersFixture.run { servers async throws in
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce))
            _ = try await enrolling.finish()
            let code = wrong(enrolling.code)
            let counted = await winners(of: 32) { _ in (try? await servers.confirm(nonce, code)) != nil }
            #expect(counted == 3)
        }
    }

    @Test("A link older than ten minutes is refused")
    func oldLink() async throws {
        try await ServersFixture.run { servers async throws in
            let link = try await servers.invite(try servers.nonce())
            servers.clock.advance(601)
            #expect(await servers.refusal { try await TestPhone(servers).scan(link) } == .linkOld)
        }
    }

    @Test("An account that nobody confirms within ten minutes goes, before and after the sweep")
    func neverConfirmed() async throws {
        try await ServersFixture.run { servers async throws in
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce))
            _ = try await enrolling.finish()
            servers.clock.advance(601)
            await #expect(throws: ConfirmationError.expired) { try await servers.confirm(nonce, enrolling.code) }
            #expect(try await enrolling.wait().status == .accountDeleted)
            try await servers.services.housekeeping.run(at: servers.now)
            #expect(try await servers.progress(nonce) == .failed(.expired))
            await #expect(throws: AccountError.unknown) {
                try await servers.services.accounts.account(enrolling.screen.accountID, at: servers.server)
            }
            #expect(try await servers.services.closes.run(at: servers.now) == 1)
        }
    }

    @Test("A wrong secret, a guessed id and a spent link claim nothing")
    func guesses() async throws {
        try await ServersFixture.run { servers async throws in
            let nonce = try servers.nonce()
            let link = try await servers.invite(nonce)
            let random = SystemRandomSource()
            let wrongSecret = EnrolLink(rootHash: link.rootHash, enrolID: link.enrolID, enrolSecret: random.bytes(16), url: link.url)
            let wrongID = EnrolLink(
                rootHash: link.rootHash, enrolID: EnrolmentID(using: random), enrolSecret: link.enrolSecret, url: link.url)
            for guess in [wrongSecret, wrongID] {
                #expect(await servers.refusal { try await TestPhone(servers).scan(guess) } == .refused)
            }
            #expect(try await servers.progress(nonce) == .waitingForPhone)
        }
    }
}
