import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("A provider's keys", .timeLimit(.minutes(10)))
struct ProviderKeysTests {
    private func fetches(_ api: TestAPI) async -> Int { await api.provider.count(FixtureProvider.keys) }

    @Test("100 callers at a cold cache make one fetch, and all are let in")
    func herd() async throws {
        let api = try TestAPI()
        let token = try Fixture.token()
        await api.provider.holds()
        let callers = (0..<100).map { _ in Task { await api.refusal(token) } }
        // Each looks at the clock twice, the fetch once: then all of them wait for it.
        while api.looks.count < 201 { await Task.yield() }
        await api.provider.releases()
        for caller in callers { #expect(await caller.value == nil) }
        #expect(await api.provider.calls.map(\.address) == [FixtureProvider.metadata, FixtureProvider.keys])
    }

    @Test("A caller who goes away while the keys are fetched takes them from nobody else")
    func cancelled() async throws {
        let api = try TestAPI()
        let token = try Fixture.token()
        await api.provider.holds()
        let first = Task { await api.refusal(token) }
        while api.looks.count < 3 { await Task.yield() }
        let second = Task { await api.refusal(token) }
        first.cancel()
        while api.looks.count < 5 { await Task.yield() }
        await api.provider.releases()
        #expect(await second.value == nil)
        #expect(await fetches(api) == 1)
    }

    @Test("rs_kid_unknown_refetch_once, rs_key_rotation_no_outage: a new key is met at once, the one before goes on while it is published")
    func rotation() async throws {
        let (old, new) = (try Fixture.signer(1), try Fixture.signer(2))
        let api = try TestAPI(keys: [old.key])
        #expect(try await api.refusal(Fixture.token(by: old)) == nil)
        await api.provider.publish([old.key, new.key])
        api.clock.advance(30)
        #expect(try await api.refusal(Fixture.token(by: new)) == nil)
        #expect(try await api.refusal(Fixture.token(by: old)) == nil)
        #expect(await fetches(api) == 2)
    }

    @Test("rs_kid_unknown_flood_cooldown: a thousand made-up names in half a minute are one fetch, and hinder nobody")
    func flood() async throws {
        let api = try TestAPI()
        let token = try Fixture.token()
        #expect(await api.refusal(token) == nil)
        api.clock.advance(30)
        for number in 0..<1_000 {
            #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["kid"] = .string("key-\(number)") })) == .token(.keyUnknown))
            if number % 100 == 0 { api.clock.advance(2) }
        }
        #expect(await api.refusal(token) == nil)
        #expect(await fetches(api) == 2)
    }

    @Test("Another key under the same name is met like a new one, and the one before opens nothing from then on")
    func replacedUnderItsName() async throws {
        let (old, new) = (try Fixture.signer(1), try Fixture.signer(2))
        let api = try TestAPI(keys: [old.key])
        #expect(try await api.refusal(Fixture.token(by: old)) == nil)
        await api.provider.publish([JWK(new.key.material, id: old.key.id)])
        let token = try Fixture.tokenWithHeader(by: new) { $0["kid"] = old.key.id.map { .string($0) } }
        #expect(await api.refusal(token) == .token(.signatureWrong), "keys of just now are not fetched again")
        api.clock.advance(30)
        #expect(await api.refusal(token) == nil)
        #expect(try await api.refusal(Fixture.token(by: old)) == .token(.signatureWrong))
        #expect(await fetches(api) == 2)
    }

    @Test("A thousand wrong signatures in half a minute are one fetch, hinder nobody, and say nothing else where the provider is away")
    func signatureFlood() async throws {
        let (key, stranger) = (try Fixture.signer(1), try Fixture.signer(9))
        let api = try TestAPI(keys: [key.key])
        let token = try Fixture.token(by: key)
        #expect(await api.refusal(token) == nil)
        let forged = try Fixture.tokenWithHeader(by: stranger) { $0["kid"] = key.key.id.map { .string($0) } }
        api.clock.advance(30)
        for number in 0..<1_000 {
            #expect(await api.refusal(forged) == .token(.signatureWrong))
            if number % 100 == 0 { api.clock.advance(2) }
        }
        #expect(await api.refusal(token) == nil)
        #expect(await fetches(api) == 2)
        await api.provider.goes()
        api.clock.advance(30)
        #expect(await api.refusal(forged) == .token(.signatureWrong))
        #expect(await api.refusal(token) == nil)
    }

    @Test("Keys that are rotated twice within the cooldown: the second is met when it is over, and by one fetch; the others never stop")
    func rotatedTwice() async throws {
        let (first, second, third) = (try Fixture.signer(1), try Fixture.signer(2), try Fixture.signer(3))
        let api = try TestAPI(keys: [first.key])
        #expect(try await api.refusal(Fixture.token(by: first)) == nil)
        api.clock.advance(60)
        await api.provider.publish([first.key, second.key])
        #expect(try await api.refusal(Fixture.token(by: second)) == nil)
        api.clock.advance(5)
        await api.provider.publish([first.key, second.key, third.key])
        #expect(try await api.refusal(Fixture.token(by: third)) == .token(.keyUnknown))
        #expect(try await api.refusal(Fixture.token(by: first)) == nil)
        #expect(try await api.refusal(Fixture.token(by: second)) == nil)
        #expect(await fetches(api) == 2)
        api.clock.advance(25)
        #expect(try await api.refusal(Fixture.token(by: third)) == nil)
        #expect(await fetches(api) == 3)
    }

    @Test("A key that was withdrawn opens nothing once its keys are ten minutes old, also of an API that nobody asked meanwhile")
    func withdrawn() async throws {
        let (old, new) = (try Fixture.signer(1), try Fixture.signer(2))
        let api = try TestAPI(keys: [old.key])
        #expect(try await api.refusal(Fixture.token(by: old)) == nil)
        await api.provider.publish([new.key])
        api.clock.advance(3_600)
        let stolen = try Fixture.token(by: old) { $0["exp"] = .moment(Fixture.now + 7_200) }
        #expect(await api.refusal(stolen) == .token(.keyUnknown))
        // And a set without any key is one: whoever withdraws all wants none to be taken.
        await api.provider.publish([])
        api.clock.advance(600)
        #expect(try await api.refusal(Fixture.token(by: new) { $0["exp"] = .moment(Fixture.now + 7_200) }) == .token(.keyUnknown))
    }

    @Test("A provider that was away once, and an API that nobody asked for hours then: a key that was withdrawn meanwhile opens nothing")
    func withdrawnAfterFailure() async throws {
        let (old, new) = (try Fixture.signer(1), try Fixture.signer(2))
        let api = try TestAPI(keys: [old.key])
        let stolen = try Fixture.token(by: old) { $0["exp"] = .moment(Fixture.now + 200_000) }
        #expect(await api.refusal(stolen) == nil)
        await api.provider.goes()
        // Whoever comes now waits for the fetch, so that it has failed when they are let in.
        api.clock.advance(600)
        #expect(await api.refusal(stolen) == nil)
        #expect(await fetches(api) == 2)
        await api.provider.comesBack()
        await api.provider.publish([new.key])
        api.clock.advance(71_400)
        #expect(await api.refusal(stolen) == .token(.keyUnknown))
        #expect(await fetches(api) == 3)
    }

    @Test("rs_jwks_down_keeps_last_good: the last good keys go on while the provider is away, for a day and no longer")
    func down() async throws {
        let api = try TestAPI()
        let token = try Fixture.token { $0["exp"] = .moment(Fixture.now + 200_000) }
        #expect(await api.refusal(token) == nil)
        await api.provider.goes()
        for _ in 0..<23 {
            api.clock.advance(3_600)
            #expect(await api.refusal(token) == nil)
        }
        api.clock.advance(3_600)
        #expect(await api.refusal(token) == .outage(.unreachable))
        await api.provider.comesBack()
        api.clock.advance(30)
        #expect(await api.refusal(token) == nil)
    }

    @Test("Junk in the place of keys is no set of keys: the last good ones go on", arguments: ["", "{}", "[]", #"{"keys":{}}"#, "<html>"])
    func junk(text: String) async throws {
        let api = try TestAPI()
        let token = try Fixture.token { $0["exp"] = .moment(Fixture.now + 7_200) }
        #expect(await api.refusal(token) == nil)
        await api.provider.answers(FixtureProvider.keys, CallAnswer(status: 200, body: Array(text.utf8)))
        api.clock.advance(3_600)
        #expect(await api.refusal(token) == nil)
        #expect(await fetches(api) == 2)
    }

    @Test("A provider that is away at the start of an API is an outage, no word about the token, and is asked again after two seconds")
    func coldAndDown() async throws {
        let api = try TestAPI()
        await api.provider.goes()
        let token = try Fixture.token()
        for _ in 0..<10 { #expect(await api.refusal(token) == .outage(.unreachable)) }
        #expect(await api.provider.calls.count == 1)
        await api.provider.comesBack()
        #expect(await api.refusal(token) == .outage(.unreachable))
        api.clock.advance(2)
        #expect(await api.refusal(token) == nil)
    }

    @Test("A provider that does not answer holds nobody up whose key is known")
    func slow() async throws {
        let api = try TestAPI()
        let token = try Fixture.token { $0["exp"] = .moment(Fixture.now + 7_200) }
        #expect(await api.refusal(token) == nil)
        await api.provider.holds()
        api.clock.advance(300)
        // They end though no answer has come.
        for _ in 0..<10 { #expect(await api.refusal(token) == nil) }
        await api.provider.releases()
    }

    @Test("A set with more keys than a provider has, or more bytes than are read, is none")
    func size() async throws {
        let many = try TestAPI(keys: (1...101).map { try Fixture.signer(UInt8($0)).key })
        #expect(try await many.refusal(Fixture.token(by: Fixture.signer(1))) == .outage(.answerMalformed))
        let long = try TestAPI()
        let padded = [UInt8](repeating: 0x20, count: 262_145 - 11) + Array(#"{"keys":[]}"#.utf8)
        await long.provider.answers(FixtureProvider.keys, CallAnswer(status: 200, body: padded))
        #expect(try await long.refusal(Fixture.token()) == .outage(.answerTooLarge))
        #expect(await long.provider.calls.map(\.mostBytes) == [65_536, 262_144])
    }

    @Test("Keys at an address of one's own, and keys that are there for good: no metadata is read, and of the second nothing at all")
    func otherOrigins() async throws {
        let addressed = try TestAPI { $0.provider?.jwt?.keys = .address(FixtureProvider.keys) }
        #expect(try await addressed.refusal(Fixture.token()) == nil)
        #expect(await addressed.provider.calls.map(\.address) == [FixtureProvider.keys])
        let set = JWKSet([try Fixture.signer().key]).json.encoded
        let fixed = try TestAPI { $0.provider?.jwt?.keys = .fixed(set) }
        #expect(try await fixed.refusal(Fixture.token()) == nil)
        #expect(try await fixed.refusal(Fixture.token(by: Fixture.signer(8))) == .token(.keyUnknown))
        #expect(await fixed.provider.calls.isEmpty)
    }
}
