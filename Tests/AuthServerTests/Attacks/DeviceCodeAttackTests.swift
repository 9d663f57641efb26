import AuthServer
import Authentication
import HTTPTypes
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// What somebody with an account of their own, or with the network, gets by codes that devices show.
@Suite("Attacks on codes that phones scan", .againWithLostCommits, .timeLimit(.minutes(10)))
struct DeviceCodeAttackTests {
    @Test(
        "dev_user_code_bruteforce_locked: a phone's wrong codes and those typed on the page are counted together; then the right one waits, too",
        .onBothEngines)
    func guessing() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            // What is right, what can be no code and what is another server's costs no try.
            for _ in 0..<6 {
                _ = try await phone.bring(begun.uri)
                #expect(await servers.refusal { try await phone.bring(begun.uri + "XX") } == .sessionUnknown)
                #expect(await servers.refusal { try await phone.bring("https://other.example/device?user_code=\(begun.userCode)") } == .refused)
            }
            let wrong = String(begun.wrong.suffix(9))
            for _ in 0..<2 { #expect(try await device.type(wrong) == .ok) }
            for _ in 0..<3 { #expect(await servers.refusal { try await phone.bring(begun.wrong) } == .sessionUnknown) }
            for uri in [begun.wrong, begun.uri] { #expect(await servers.refusal { try await phone.bring(uri) } == .tooMany) }
            #expect(try await device.type(begun.userCode) == .tooManyRequests)
            servers.clock.advance(300)
            try await phone.show(begun).logInByPIN()
            #expect(try await device.poll(begun).status == 200)
        }
    }

    @Test("dev_user_code_bruteforce_parallel: of 32 wrong codes at once five are looked for", .onBothEngines)
    func guessingAtOnce() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let heard = await withTaskGroup(of: Status?.self) { group in
                for _ in 0..<32 { group.addTask { await servers.refusal { try await phone.bring(begun.wrong) } } }
                return await group.reduce(into: [Status?]()) { $0.append($1) }
            }
            #expect(heard.count { $0 == .sessionUnknown } == 5 && heard.count { $0 == .tooMany } == 27, "\(heard)")
        }
    }

    @Test("A code of another server, another virtual server or another page is refused, whatever its code")
    func foreign() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let code = "user_code=\(begun.userCode)"
            let origin = ServersFixture.origin
            let other = ServerID(using: SystemRandomSource()).text
            for uri in [
                "https://127.0.0.1:8080/device?\(code)", "\(origin).evil.example/device?\(code)", "\(origin)/oidc/\(other)/device?\(code)",
                "\(origin)/oidc/\(servers.server.text)/device?\(code)", "\(origin)/l?\(code)", "\(origin)/device#\(code)", begun.userCode, "",
            ] {
                #expect(await servers.refusal { try await phone.bring(uri) } == .refused, "\(uri)")
            }
            #expect(try await device.poll(begun).error == "authorization_pending")
        }
    }

    @Test("Nobody brings a code in another's name, without a key, or with what somebody else sealed; a blocked account is told so")
    func forged() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await device.begin()
            #expect(await servers.refusal { try await bob.bring(begun.uri, by: phone.account) } == .refused)
            #expect(await servers.refusal { try await bob.bring(begun.uri, by: AccountID(using: SystemRandomSource())) } == .accountUnknown)
            let unsigned = Verification(accountID: phone.account, uri: begun.uri).encoded
            #expect(try await phone.phone.send(unsigned, try TestPhone.ephemeral()).status == .refused)
            _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(await servers.refusal { try await phone.bring(begun.uri) } == .accountBlocked)
            #expect(try await device.poll(begun).error == "authorization_pending")
        }
    }

    @Test("What the network sends again has no second effect: it ends no login that the phone began meanwhile, and costs no try", .onBothEngines)
    func replayed() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let request = try phone.phone.sealFresh(Verification(accountID: phone.account, uri: begun.uri))
            let wrong = try phone.phone.sealFresh(Verification(accountID: phone.account, uri: begun.wrong))
            let answer = try await phone.phone.send(request)
            let shown = try await phone.scan(try #require(try Waiting(decoding: answer.body).logins.first).link, via: .link)
            let attempt = try await shown.proved()
            #expect(try await phone.phone.send(request).status == .replayed)
            #expect(try await phone.phone.send(wrong).status == .sessionUnknown)
            for _ in 0..<6 { #expect(try await phone.phone.send(wrong).status == .replayed) }
            let yes = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(try await shown.send(yes).result == .loggedIn)
            #expect(try await device.poll(begun).status == 200)
        }
    }

    @Test("The link to the login is taken as an unbound one and as nothing stronger, and not at all where such links are refused")
    func binding() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let link = try await phone.bring(begun.uri).link
            for via in [Via.scan, .push] { #expect(await servers.refusal { try await phone.scan(link, via: via) } == .refused) }
            let shown = try await phone.scan(link, via: .link)
            let attempt = try shown.attempt()
            try await servers.update { $0.flags = ["STRICT_LINKS"] }
            #expect(await servers.refusal { try await phone.bring(begun.uri) } == .refused)
            #expect(await servers.refusal { try await phone.scan(link, via: .link) } == .refused)
            #expect(try await phone.phone.evaluate(attempt).status == .refused, "also one that was shown before")
            #expect(try await device.poll(begun).error == "authorization_pending")
        }
    }

    @Test("A phone that never brought the code, and has only what it was shown of another login, decides nothing about it")
    func borrowed() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let (mine, other) = (try await device.begin(), try await device.begin())
            let (shown, elsewhere) = (try await phone.show(mine), try await phone.show(other))
            let attempt = try await shown.proved()
            var choice = RawPhone.Choice(method: .pin, attempt: attempt.id, secondFactorSignature: try phone.phone.prove(attempt))
            choice.offer = elsewhere.shown.content.offer
            let borrowed = try phone.phone.raw.deciding(shown.shown, by: phone.account, choice)
            #expect(await servers.refusal { try await shown.send(borrowed) } == .refused)
            for begun in [mine, other] { #expect(try await device.poll(begun).error == "authorization_pending") }
        }
    }
}
