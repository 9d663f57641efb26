import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("The key that an AppLogin names for tokens", .timeLimit(.minutes(10)))
struct TokenKeyTests {
    /// What the AppLogins and logins of a phone named.
    private func named(_ phone: TestPhone) async -> [TokenKey?] { await phone.server.with { $0.tokenKeys } }

    private func logInToApp(_ phone: TestPhone) async throws {
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }

    private func logOut(_ phone: TestPhone) async throws {
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
    }

    /// The key store's name of the key, as the document has it.
    private func name(_ phone: TestPhone) throws -> String? { try StoredState(decoding: phone.accounts.document).accounts.first?.tokenKeyName }

    @Test("An app that binds tokens names a key of the key store at each AppLogin, the same, and it is not the one that signs AP1")
    func names() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        #expect(try name(phone) == nil, "an enrolment names none")
        try await logInToApp(phone)
        let key = TokenKey(publicKey: try phone.keys.publicKey(named: try #require(try name(phone))))
        #expect(await named(phone) == [key])
        let account = try #require(try StoredState(decoding: phone.accounts.document).accounts.first)
        #expect(account.keyName != account.tokenKeyName)
        #expect(TokenKey(publicKey: try phone.keys.publicKey(named: account.keyName)) != key)
        try await logOut(phone)
        let names = phone.keys.names
        try await logInToApp(phone)
        #expect(await named(phone) == [key, key])
        #expect(phone.keys.names == names, "no key is made twice")
    }

    @Test("An app that does not names none and makes none")
    func namesNone() async throws {
        let phone = try await TestPhone.enrolled()
        let names = phone.keys.names
        try await logInToApp(phone)
        #expect(await named(phone) == [nil])
        #expect(try name(phone) == nil && phone.keys.names == names)
    }

    @Test("The login of a browser names none")
    func browser() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await named(phone) == [nil])
    }

    @Test("After a lost answer the same decision comes again, with the same key")
    func lostAnswer() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        await phone.server.with { $0.mishaps.lostAnswers[.l5] = 1 }
        try await logInToApp(phone)
        #expect(await named(phone).count == 1, "a decision that was another would be refused")
        #expect(await phone.server.with { server in server.received.count { $0 == .l5 } } == 2)
    }

    @Test("A key that the key store lost, or that a crash left unmade, is made at the next AppLogin under its name")
    func madeAnew() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        try await logInToApp(phone)
        try await logOut(phone)
        let name = try #require(try name(phone))
        try phone.keys.delete(named: name)
        try await logInToApp(phone)
        #expect(try self.name(phone) == name)
        let key = TokenKey(publicKey: try phone.keys.publicKey(named: name))
        let all = await named(phone)
        #expect(all.count == 2 && all[1] == key && all[0] != key)
    }

    @Test("A name that cannot be written down makes no key, and nothing is asked of the server")
    func storeRefuses() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        let names = phone.keys.names
        let asked = await phone.server.with { server in server.received.count { $0 == .l1 } }
        phone.accounts.refusals = 1
        phone.ostiary.startAppLogin()
        #expect(try await phone.failure().0 == .storeUnavailable)
        #expect(phone.keys.names == names)
        #expect(await phone.server.with { server in server.received.count { $0 == .l1 } } == asked)
    }

    @Test("The key goes with its account")
    func goes() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        try await logInToApp(phone)
        let name = try #require(try name(phone))
        #expect(phone.keys.names.contains(name))
        try await phone.ostiary.eraseEverything()
        #expect(!phone.keys.names.contains(name))
    }

    @Test("A document of before names no key, and is read")
    func older() async throws {
        let phone = try await TestPhone.enrolled { $0.bindsTokens = true }
        let before = try #require(phone.accounts.document)
        #expect(!String(decoding: before, as: UTF8.self).contains("tokenKeyName"))
        try await logInToApp(phone)
        #expect(String(decoding: try #require(phone.accounts.document), as: UTF8.self).contains("tokenKeyName"))
    }
}
