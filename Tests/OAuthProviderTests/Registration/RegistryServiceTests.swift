import Authentication
import OstiaryProtocol
import OstiaryTokens
import Synchronization
import Testing

@testable import OAuthProvider

@Suite("What an operator writes of applications, APIs, roles and users")
struct RegistryServiceTests {
    private typealias Fixture = ProviderFixture

    /// The service, over bodies that run once, or as after commits that nobody heard of.
    private func premises(rerunning: Bool) async throws -> (fixture: Fixture, registry: RegistryService) {
        let fixture = try await Fixture(rerunning: rerunning)
        return (fixture, RegistryService(store: fixture.store, random: fixture.random))
    }

    private func machine(_ id: String) throws -> Application {
        var machine = Application(id: try #require(ClientID(id)), server: Fixture.server, kind: .machine, name: "Night", authentication: .basic)
        machine.grantTypes = [.clientCredentials]
        return machine
    }

    private func apply(
        _ document: RegistryDocument, prunes: Bool = false, isTrial: Bool = false, to registry: RegistryService
    ) async throws -> RegistryOutcome {
        try await registry.apply(document, prunes: prunes, isTrial: isTrial, at: Fixture.server, by: .operator, now: Fixture.start)
    }

    private func refusal(_ document: RegistryDocument, of registry: RegistryService) async throws -> RegistryRefusal? {
        do { _ = try await apply(document, to: registry) } catch let refusal as RegistryRefusal { return refusal }
        return nil
    }

    @Test(
        "S3-50 a document is written once: said again it changes nothing, gives no secret, and leaves no second line in the trail",
        arguments: [false, true])
    func idempotent(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let document = RegistryDocument(applications: [try machine("night")])
        let first = try await apply(document, to: registry)
        let id = try #require(ClientID("night"))
        let secret = try #require(first.secrets[id])
        #expect(first.changes.count == 1 && secret.text.utf8.count == 43 && "\(secret)" == "‹secret›")
        let kept = try await registry.application(id, of: Fixture.server)
        #expect(kept.secrets.count == 1 && kept.secrets[0].isOf(secret.text, at: Fixture.start))
        let second = try await apply(document, to: registry)
        #expect(second.changes.isEmpty && second.secrets.isEmpty)
        #expect(try await registry.application(id, of: Fixture.server) == kept)
        #expect(fixture.memory.audit.map(\.kind) == [.applicationSaved])
        #expect(fixture.memory.audit.first?.actor == .operator)
    }

    @Test("A new application is named by what an address has as it is; one of before keeps its name, and is written and removed by it")
    func names() async throws {
        let (fixture, registry) = try await premises(rerunning: false)
        for name in ["a/b", "a%2Fb", "../a", "a?b", "a#b", #"a\b"#, "[a]", "a|b", "a\"b", "<a>", "{a}", "a^b", "a`b"] {
            let document = RegistryDocument(applications: [try machine(name)])
            #expect(try await refusal(document, of: registry)?.reason == .application(.idWrong), "\(name)")
        }
        for name in ["night", "night.shift-2_b~", "a@b", "!$&'()*+,;="] {
            #expect(try await refusal(RegistryDocument(applications: [try machine(name)]), of: registry) == nil, "\(name)")
        }
        var former = try machine("team/night")
        former.secrets = [ClientSecret(hash: ClientSecret.hash(of: "former"), expiresAt: nil)]
        let (saved, id) = (former, former.id)
        try await fixture.store.write { rows in try rows.save(saved) }
        former.name = "Day"
        #expect(try await apply(RegistryDocument(applications: [former]), to: registry).changes.count == 1)
        #expect(try await registry.application(id, of: Fixture.server).name == "Day")
        try await registry.remove(.application(id), at: Fixture.server, by: .operator, now: Fixture.start)
        #expect(try await refusal(RegistryDocument(applications: [former]), of: registry)?.reason == .application(.idWrong))
    }

    @Test("A trial says what would change, tells no secret and writes nothing; what it says then is what is done", arguments: [false, true])
    func trial(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let api = ProtectedAPI(identifier: try #require(APIIdentifier("urn:new")), server: Fixture.server, name: "New")
        var night = try machine("night")
        // Of an API that is in the same document only.
        night.apis = [api.identifier: []]
        let document = RegistryDocument(apis: [api], applications: [night])
        let tried = try await apply(document, isTrial: true, to: registry)
        #expect(tried.changes.count == 2 && tried.secrets.isEmpty && fixture.memory.audit.isEmpty)
        await #expect(throws: UnknownRegistryItem(.api(api.identifier))) { try await registry.api(api.identifier, of: Fixture.server) }
        let done = try await apply(document, to: registry)
        #expect(done.changes.first == tried.changes.first && done.changes.count == 2 && done.secrets.count == 1)
    }

    @Test("What one thing of a document may not be, none of it is")
    func wholly() async throws {
        let (fixture, registry) = try await premises(rerunning: false)
        let good = ProtectedAPI(identifier: try #require(APIIdentifier("urn:new")), server: Fixture.server, name: "New")
        var night = try machine("night")
        night.name = "two\nlines"
        #expect(
            try await refusal(RegistryDocument(apis: [good], applications: [night]), of: registry)
                == RegistryRefusal(.application(night.id), .application(.nameWrong)))
        await #expect(throws: UnknownRegistryItem(.api(good.identifier))) { try await registry.api(good.identifier, of: Fixture.server) }
        #expect(fixture.memory.audit.isEmpty)
    }

    @Test("What is referred to is there: a slip of the pen in a name is refused, not written")
    func references() async throws {
        let (fixture, registry) = try await premises(rerunning: false)
        let (timesheets, other) = (fixture.timesheets, try #require(APIIdentifier("urn:none")))
        let misspelt = try #require(Scope("raed:timesheets"))
        func ofApplication(_ change: (inout Application) -> Void) async throws -> RegistryRefusal.Reason? {
            var night = try machine("night")
            change(&night)
            return try await refusal(RegistryDocument(applications: [night]), of: registry)?.reason
        }
        #expect(try await ofApplication { $0.apis = [other: []] } == .application(.apiUnknown(other)))
        #expect(try await ofApplication { $0.serves = [other] } == .application(.apiUnknown(other)))
        #expect(try await ofApplication { $0.apis = [timesheets: [misspelt]] } == .application(.scopeUnknown(timesheets, misspelt)))
        #expect(try await ofApplication { $0.apis = [timesheets: Fixture.scope("batch:upload")] } == nil)
        let role = Role(server: Fixture.server, name: "Reader", permissions: [timesheets: [misspelt]])
        #expect(try await refusal(RegistryDocument(roles: [role]), of: registry)?.reason == .role(.scopeUnknown(timesheets, misspelt)))
        let user = ProviderUser(server: Fixture.server, userID: "bob", roles: ["Manger"])
        #expect(try await refusal(RegistryDocument(users: [user]), of: registry)?.reason == .user(.roleUnknown("Manger")))
    }

    @Test(
        "What tokens tell of a user can be shown by whoever gets them",
        arguments: [
            (ProfileClaims(name: "two\nlines"), UserRefusal.nameWrong), (ProfileClaims(picture: "http://pictures.example/a"), .pictureWrong),
            (ProfileClaims(picture: "javascript:alert(1)"), .pictureWrong), (ProfileClaims(email: "alice"), .emailWrong),
            (ProfileClaims(email: "a@b, c@d"), .emailWrong), (ProfileClaims(email: "a@b@c"), .emailWrong),
            (ProfileClaims(isEmailVerified: true), .verifiedWithoutEmail),
        ])
    func users(profile: ProfileClaims, reason: UserRefusal) async throws {
        let (_, registry) = try await premises(rerunning: false)
        let user = ProviderUser(server: Fixture.server, userID: "bob", profile: profile)
        #expect(try await refusal(RegistryDocument(users: [user]), of: registry)?.reason == .user(reason))
    }

    @Test("What an application is cannot be changed, and its secrets cannot be written; one that shows none has none")
    func fixed() async throws {
        let (fixture, registry) = try await premises(rerunning: false)
        let batch = try await registry.application(try fixture.client("batch"), of: Fixture.server)
        var other = Application(id: batch.id, server: batch.server, kind: .web, name: "Batch", authentication: .basic)
        other.redirectURIs = [try RedirectURI(registering: "https://app.example/cb", ofApp: false)]
        #expect(try await refusal(RegistryDocument(applications: [other]), of: registry)?.reason == .application(.kindFixed))
        var forged = batch
        forged.secrets = [ClientSecret(hash: ClientSecret.hash(of: "of somebody else"), expiresAt: nil)]
        #expect(try await apply(RegistryDocument(applications: [forged]), to: registry).changes.isEmpty)
        var web = try await registry.application(try fixture.client("web"), of: Fixture.server)
        web = remade(web, .none)
        #expect(try await apply(RegistryDocument(applications: [web]), to: registry).changes.count == 1)
        #expect(try await registry.application(web.id, of: Fixture.server).secrets.isEmpty)
    }

    private func remade(_ application: Application, _ method: ClientAuthenticationMethod) -> Application {
        var remade = Application(
            id: application.id, server: application.server, kind: application.kind, name: application.name, authentication: method)
        remade.redirectURIs = application.redirectURIs
        return remade
    }

    @Test("A secret that is replaced is over at once, or when the overlap is; which call it was is found by its own hash", arguments: [false, true])
    func rotation(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let id = try fixture.client("web")
        func secrets() async throws -> [ClientSecret] { try await registry.application(id, of: Fixture.server).secrets }
        let first = try await registry.rotateSecret(of: id, at: Fixture.server, overlap: 60, by: .operator, now: Fixture.start)
        let both = try await secrets()
        #expect(both.count == 2 && both[0].isOf(first.text, at: Fixture.start + 61))
        #expect(both[1].isOf(Fixture.secret, at: Fixture.start + 59) && !both[1].isOf(Fixture.secret, at: Fixture.start + 60))
        let second = try await registry.rotateSecret(of: id, at: Fixture.server, by: .operator, now: Fixture.start + 1)
        let one = try await secrets()
        #expect(one.count == 1 && one[0].isOf(second.text, at: Fixture.start + 1))
        for _ in 0..<6 { _ = try await registry.rotateSecret(of: id, at: Fixture.server, overlap: 60, by: .operator, now: Fixture.start + 1) }
        #expect(try await secrets().count == 4)
        let mobile = try fixture.client("mobile")
        await #expect(throws: NoSecretWanted()) {
            try await registry.rotateSecret(of: mobile, at: Fixture.server, by: .operator, now: Fixture.start)
        }
    }

    @Test("An API that goes is forgotten by applications and roles: a later one of the same name is nobody's", arguments: [false, true])
    func removesAPI(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let timesheets = fixture.timesheets
        try await registry.remove(.api(timesheets), at: Fixture.server, by: .operator, now: Fixture.start)
        let batch = try await registry.application(try fixture.client("batch"), of: Fixture.server)
        #expect(batch.apis.isEmpty && batch.serves.isEmpty)
        #expect(try await registry.role("Manager", of: Fixture.server).permissions.isEmpty)
        await #expect(throws: UnknownRegistryItem(.api(timesheets))) {
            try await registry.remove(.api(timesheets), at: Fixture.server, by: .operator, now: Fixture.start)
        }
    }

    @Test("A role that goes is nobody's, also when it comes back; a user that goes loses theirs")
    func removesPeople() async throws {
        let (_, registry) = try await premises(rerunning: false)
        try await registry.remove(.role("Employee"), at: Fixture.server, by: .operator, now: Fixture.start)
        #expect(try await registry.user("alice", of: Fixture.server).roles.isEmpty)
        #expect(try await registry.user("mary", of: Fixture.server).roles == ["Manager"])
        try await registry.remove(.user("mary"), at: Fixture.server, by: .operator, now: Fixture.start)
        await #expect(throws: UnknownRegistryItem(.user("mary"))) { try await registry.user("mary", of: Fixture.server) }
    }

    @Test("Pruned is what the document leaves out, of the kinds that it has and of no other")
    func prunes() async throws {
        let (fixture, registry) = try await premises(rerunning: false)
        let mobile = try await registry.application(try fixture.client("mobile"), of: Fixture.server)
        let outcome = try await apply(RegistryDocument(applications: [mobile]), prunes: true, to: registry)
        #expect(outcome.changes.count == 2)
        #expect(try await registry.applications(of: Fixture.server, .all).elements == [mobile])
        #expect(try await registry.apis(of: Fixture.server, .all).total == 1)
        #expect(try await registry.users(of: Fixture.server, .all).total == 2)
        _ = try await apply(RegistryDocument(applications: [mobile]), to: registry)
        #expect(try await registry.roles(of: Fixture.server, .all).total == 2)
    }

    /// A store in memory that notes how much of what a client was given one transaction took away.
    private final class MeasuredStore: OAuthStore {
        let memory: MemoryOAuthStore
        let client: ClientID
        let most = Mutex(0)

        init(memory: MemoryOAuthStore, client: ClientID) {
            self.memory = memory
            self.client = client
        }

        func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await memory.read(body) }

        func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
            let before = try await given()
            let value = try await memory.write(body)
            let gone = before - (try await given())
            most.withLock { $0 = max($0, gone) }
            return value
        }

        func given() async throws -> Int {
            let client = client
            return try await memory.read { rows in
                try rows.grants(.toClient(client), at: Fixture.server, .all, now: Fixture.start).total
                    + rows.consents(.toClient(client), at: Fixture.server, .all).total
            }
        }
    }

    @Test("However much was given to an application, no transaction that takes it away takes more than so much; its own way or by a file")
    func removesInBatches() async throws {
        for prunes in [false, true] {
            let fixture = try await Fixture()
            let client = try fixture.client("web")
            try await give(450, to: client, in: fixture)
            let store = MeasuredStore(memory: fixture.memory, client: client)
            let registry = RegistryService(store: store, random: fixture.random)
            if prunes {
                let unknown = try machine("night")
                var wrong = unknown
                wrong.name = ""
                await #expect(throws: RegistryRefusal.self) { try await apply(RegistryDocument(applications: [wrong]), prunes: true, to: registry) }
                #expect(try await store.given() == 450, "and a file that is refused takes nothing")
                let outcome = try await apply(RegistryDocument(applications: []), prunes: true, isTrial: true, to: registry)
                #expect(try await store.given() == 450)
                #expect(try await apply(RegistryDocument(applications: []), prunes: true, to: registry).changes.count == outcome.changes.count)
            } else {
                try await registry.remove(.application(client), at: Fixture.server, by: .operator, now: Fixture.start)
            }
            let most = store.most.withLock { $0 }
            #expect(try await store.given() == 0 && most == RegistryService.batch)
            await #expect(throws: UnknownRegistryItem.self) { try await registry.application(client, of: Fixture.server) }
        }
    }

    private func give(_ count: Int, to client: ClientID, in fixture: Fixture) async throws {
        let now = fixture.now
        try await fixture.memory.write { rows in
            for number in 0..<count {
                let id = try #require(GrantID([UInt8](repeating: 0xA5, count: 14) + [UInt8(number / 256), UInt8(number % 256)]))
                try rows.save(
                    Grant(
                        id: id, server: Fixture.server, client: client, holder: .device(Fixture.alice), scopes: Fixture.scope("openid"), api: nil,
                        authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]), nonce: nil, session: Fixture.session,
                        createdAt: now))
            }
        }
    }
}
