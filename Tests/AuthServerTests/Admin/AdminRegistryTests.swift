import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("REST: applications, APIs, roles and users")
struct AdminRegistryTests {
    private static let api = "/apis/https%3A%2F%2Fapi.example%2Fthings/"
    private static let things = #"{"name":"Things","scopes":{"read":"read what you have","write":"change it"},"allow_offline_access":true}"#
    private static let web = #"{"kind":"web","client_name":"Shop","redirect_uris":["https://shop.example/cb"]}"#

    private func withBackend(_ body: @Sendable @escaping (AdminClient) async throws -> Void) async throws {
        try await PagesFixture().asBackend { (backend) async throws in try await body(backend) }
    }

    @Test("S3-50 an API is written by its identifier, with the defaults of what is left out, told again and removed")
    func apis() async throws {
        try await withBackend { backend in
            let (status, put) = try await backend.json(.put, backend.path(Self.api), body: Self.things)
            #expect(status == 200 && put.text("identifier") == "https://api.example/things")
            #expect(put.number("token_lifetime") == 86_400 && put.number("session_token_lifetime") == 300)
            #expect(put.text("signing_alg") == "ES256" && put.text("token_format") == "jwt" && put.bool("allow_offline_access") == true)
            #expect(put.object("scopes")?.text("write") == "change it")
            #expect(put.object("access_token_claims")?.names == [])
            let told = try await backend.send(.get, backend.path(Self.api))
            #expect(try await backend.send(.put, backend.path(Self.api), body: String(buffer: told.body)).body == told.body)
            let (_, list) = try await backend.json(.get, backend.path("/apis/"))
            #expect(list.number("totalnumber") == 1 && list.objects("apis").map { $0.text("name") } == ["Things"])
            #expect(try await backend.send(.delete, backend.path(Self.api)).status == .ok)
            let (gone, error) = try await backend.json(.get, backend.path(Self.api))
            #expect(gone == 404 && error.text("error") == "api_unknown")
            #expect(try await backend.send(.delete, backend.path(Self.api)).status == .notFound)
        }
    }

    @Test("S3-15 what the tokens of an API say besides is written with it, told again, and is a member of what a document changes")
    func addedClaims() async throws {
        try await withBackend { backend in
            let email = #""access_token_claims":{"https://api.example/email":"email","https://api.example/roles":"roles"}"#
            let (status, put) = try await backend.json(.put, backend.path(Self.api), body: #"{"name":"Things",\#(email)}"#)
            #expect(status == 200 && put.object("access_token_claims")?.text("https://api.example/email") == "email")
            let told = try await backend.send(.get, backend.path(Self.api))
            #expect(try await backend.send(.put, backend.path(Self.api), body: String(buffer: told.body)).body == told.body)
            let bare = #"{"apis":{"https://api.example/things":{"name":"Things"}}}"#
            let changes = try await backend.json(.post, backend.path("/registry"), body: bare).object.objects("changes")
            #expect(changes.first?.objects("members").compactMap { $0.text("member") } == ["access_token_claims"])
            #expect(try await backend.json(.get, backend.path(Self.api)).object.object("access_token_claims")?.names == [])
            let many = (0...16).map { #""urn:\#($0)":"name""# }.joined(separator: ",")
            let (refused, error) = try await backend.json(
                .put, backend.path(Self.api), body: #"{"name":"Things","access_token_claims":{\#(many)}}"#)
            #expect(refused == 400 && error.text("field")?.hasSuffix("access_token_claims") == true)
        }
    }

    @Test("S3-50 an application has callback addresses and a client id; its first secret is told once, and its hash by nothing")
    func applications() async throws {
        try await withBackend { backend in
            let (status, put) = try await backend.json(.put, backend.path("/applications/shop/"), body: Self.web)
            let secret = try #require(put.text("client_secret"))
            #expect(status == 200 && secret.utf8.count == 43 && put.text("client_id") == "shop" && put.number("secrets") == 1)
            #expect(put.text("token_endpoint_auth_method") == "client_secret_basic")
            #expect(put.texts("grant_types") == ["authorization_code", "refresh_token"])
            let told = try await backend.send(.get, backend.path("/applications/shop/"))
            let text = String(buffer: told.body)
            #expect(!text.contains(secret) && !text.contains(Base64URL.encode(ClientSecret.hash(of: secret))))
            // As it is told it may be sent back, and says nothing new.
            let again = try await backend.send(.put, backend.path("/applications/shop/"), body: text)
            #expect(again.status == .ok && again.body == told.body)
            let (_, rotated) = try await backend.json(.post, backend.path("/applications/shop/secret"), body: #"{"overlap":60}"#)
            #expect(rotated.text("client_secret")?.utf8.count == 43 && rotated.text("client_secret") != secret)
            #expect(try await backend.json(.get, backend.path("/applications/shop/")).object.number("secrets") == 2)
        }
    }

    @Test("An address with a port that is none is written by nobody, alone or in a file with others", arguments: ["0", "99999", "65536", "x"])
    func ports(port: String) async throws {
        try await withBackend { backend in
            let wrong = Self.web.replacing("shop.example/cb", with: "shop.example:\(port)/cb")
            let (status, error) = try await backend.json(.put, backend.path("/applications/shop/"), body: wrong)
            #expect(status == 400 && error.text("message")?.contains("redirect_uris[0]") == true, "\(error)")
            let (_, refused) = try await backend.json(.post, backend.path("/registry"), body: #"{"applications":{"shop":\#(wrong)}}"#)
            #expect(refused.text("message")?.contains("redirect_uris[0]") == true, "\(refused)")
            #expect(try await backend.send(.get, backend.path("/applications/shop/")).status == .notFound)
        }
    }

    @Test("An application that shows no secret is given none", arguments: [nil, #"{"overlap":1}"#])
    func withoutSecret(body: String?) async throws {
        try await withBackend { backend in
            let native = #"{"kind":"native","client_name":"App","redirect_uris":["com.example.app:/cb"]}"#
            let (_, put) = try await backend.json(.put, backend.path("/applications/app/"), body: native)
            #expect(put.text("token_endpoint_auth_method") == "none" && put.text("client_secret") == nil && put.number("secrets") == 0)
            let (status, error) = try await backend.json(.post, backend.path("/applications/app/secret"), body: body ?? "{}")
            #expect(status == 409 && error.text("error") == "no_secret_wanted")
        }
    }

    @Test(
        "What may not be written is refused by the name of its member, in words, and nothing is written",
        arguments: [
            (#"{"kind":"web","client_name":"Shop","redirect_urls":[]}"#, "redirect_urls", "did you mean redirect_uris?"),
            (#"{"kind":"site","client_name":"Shop"}"#, "kind", "is native, web or machine"),
            (#"{"kind":"web","client_name":"Shop"}"#, "redirect_uris", "is empty"),
            (#"{"kind":"web","client_name":"Shop","redirect_uris":["com.example.app:/cb"]}"#, "redirect_uris[0]", "native applications"),
            (#"{"kind":"web","client_name":"Shop","redirect_uris":["http://shop.example/cb"]}"#, "redirect_uris[0]", "use https"),
            (#"{"kind":"native","client_name":"Shop","redirect_uris":["javascript:alert(1)"]}"#, "redirect_uris[0]", "without a domain"),
            (#"{"kind":"web","client_name":"Shop","redirect_uris":["https://a.example/#x"]}"#, "redirect_uris[0]", "fragment"),
            (#"{"kind":"web","client_name":"Shop","redirect_uris":["https://shop.example@evil.example/"]}"#, "redirect_uris[0]", "before its host"),
            (#"{"kind":"machine","client_name":"Shop","token_endpoint_auth_method":"none"}"#, "token_endpoint_auth_method", "anybody"),
            (#"{"kind":"machine","client_name":"Shop","token_endpoint_auth_method":"private_key_jwt"}"#, "jwks", "is missing"),
            (#"{"kind":"machine","client_name":"Shop","apis":{"urn:none":[]}}"#, "apis", "urn:none"),
            (#"{"kind":"machine","client_name":"Shop","client_id":"other"}"#, "client_id", "cannot be changed"),
            (#"{"kind":"machine","client_name":"Shop","jwks":{"keys":[{"kty":"oct","k":"AAAA"}]}}"#, "jwks.keys[0]", "private key"),
            (#"{"kind":"machine","client_name":"Shop","grant_types":["password"]}"#, "grant_types[0]", "is authorization_code"),
            (#"{"kind":"machine","client_name":"Shop","client_secret":"mine"}"#, "client_secret", "has no"),
            (#"{"kind":"machine","client_name":"Shop","enabled":null}"#, "enabled", "leave out"),
        ])
    func refusals(body: String, field: String, words: String) async throws {
        try await withBackend { backend in
            let (status, error) = try await backend.json(.put, backend.path("/applications/shop/"), body: body)
            #expect(status == 400 && error.text("field") == field, "\(error.text("field") ?? "")")
            #expect(error.text("message")?.contains(words) == true, "\(error.text("message") ?? "")")
            #expect(try await backend.send(.get, backend.path("/applications/shop/")).status == .notFound)
        }
    }

    @Test("Roles and users are written by their names, percent-encoded, and removed; who may do what is told of nobody else")
    func people() async throws {
        try await withBackend { backend in
            _ = try await backend.send(.put, backend.path(Self.api), body: Self.things)
            let role = #"{"permissions":{"https://api.example/things":["read"]}}"#
            let (_, lead) = try await backend.json(.put, backend.path("/roles/Team%20lead/"), body: role)
            #expect(lead.text("role") == "Team lead" && lead.object("permissions")?.texts("https://api.example/things") == ["read"])
            let alice = #"{"name":"Alice","email":"alice@example.com","email_verified":true,"roles":["Team lead"]}"#
            let (_, user) = try await backend.json(.put, backend.path("/users/alice%2Fa/"), body: alice)
            #expect(user.text("user_id") == "alice/a" && user.texts("roles") == ["Team lead"] && user.bool("email_verified") == true)
            // Whoever has the profile has no accounts by that.
            #expect(try await backend.json(.get, backend.path("/users/alice%2Fa/accounts")).object.text("error") == "user_unknown")
            #expect(try await backend.send(.delete, backend.path("/roles/Team%20lead/")).status == .ok)
            #expect(try await backend.json(.get, backend.path("/users/alice%2Fa/")).object.texts("roles") == [])
            #expect(try await backend.send(.delete, backend.path("/users/alice%2Fa/")).status == .ok)
            #expect(try await backend.json(.get, backend.path("/users/")).object.number("totalnumber") == 0)
        }
    }

    private static let document = """
        {"apis":{"https://api.example/things":\(things)},
         "roles":{"Clerk":{"permissions":{"https://api.example/things":["read"]}}},
         "applications":{"shop":\(web),"night":{"kind":"machine","client_name":"Night","apis":{"https://api.example/things":["write"]}}},
         "users":{"alice":{"roles":["Clerk"]}}}
        """

    @Test("A document is tried, written at once, and changes nothing when it is said again")
    func documents() async throws {
        try await withBackend { backend in
            let (_, tried) = try await backend.json(.post, backend.path("/registry?dryrun=true"), body: Self.document)
            #expect(tried.objects("changes").count == 5 && tried.object("secrets") == nil)
            #expect(tried.objects("changes").allSatisfy { $0.text("change") == "created" })
            #expect(try await backend.json(.get, backend.path("/apis/")).object.number("totalnumber") == 0)
            let (status, done) = try await backend.json(.post, backend.path("/registry"), body: Self.document)
            #expect(status == 200 && done.objects("changes").count == 5 && done.object("secrets")?.names == ["night", "shop"])
            let (_, again) = try await backend.json(.post, backend.path("/registry"), body: Self.document)
            #expect(again.objects("changes").isEmpty && again.object("secrets") == nil)
            let longer = #"{"apis":{"https://api.example/things":{"name":"Things","scopes":{"read":"read"},"token_lifetime":60}}}"#
            let changes = try await backend.json(.post, backend.path("/registry?dryrun=true"), body: longer).object.objects("changes")
            #expect(changes.count == 1 && changes.first?.text("change") == "changed")
            #expect(
                Set(changes.first?.objects("members").compactMap { $0.text("member") } ?? []) == ["scopes", "token_lifetime", "allow_offline_access"])
            let pruned = try await backend.json(.post, backend.path("/registry?prune=true"), body: #"{"applications":{}}"#).object
            #expect(pruned.objects("changes").map { $0.text("change") } == ["removed", "removed"])
            #expect(try await backend.json(.get, backend.path("/roles/")).object.number("totalnumber") == 1)
        }
    }

    @Test(
        "What is wrong in a document is told with its place, and nothing of it is written",
        arguments: [
            (#"{"aplications":{}}"#, "aplications", "did you mean applications?"),
            (#"{"apis":{"urn:a":{"name":"A","scope":{}}}}"#, "apis.urn:a.scope", "did you mean scopes?"),
            (#"{"apis":{"urn:a":{"name":"A"},"none":{"name":"B"}}}"#, "apis.none", "absolute URI"),
            (#"{"apis":{"urn:a":{"name":"A","token_lifetime":5}}}"#, "apis.urn:a.token_lifetime", "seconds"),
            (#"{"apis":{"urn:a":{"name":"A"}},"roles":{"R":{"permissions":{"urn:a":["x"]}}}}"#, "roles.R.permissions.urn:a", "no scope x"),
            (#"{"apis":{"urn:a":{"name":"A"}},"users":{"alice":{"roles":["None"]}}}"#, "users.alice.roles", "no role"),
            (#"{"apis":{"urn:a":{"name":"A","identifier":"urn:b"}}}"#, "apis.urn:a.identifier", "another"),
            (
                #"{"apis":{"urn:a":{"name":"A","access_token_claims":{"sub":"email"}}}}"#, "apis.urn:a.access_token_claims.sub", "absolute URI"
            ),
            (
                #"{"apis":{"urn:a":{"name":"A","access_token_claims":{"urn:x":"mail"}}}}"#, "apis.urn:a.access_token_claims.urn:x",
                "did you mean email?"
            ),
        ])
    func documentRefusals(body: String, field: String, words: String) async throws {
        try await withBackend { backend in
            let (status, error) = try await backend.json(.post, backend.path("/registry"), body: body)
            #expect(status == 400 && error.text("field") == field, "\(error.text("field") ?? "")")
            #expect(error.text("message")?.contains(words) == true, "\(error.text("message") ?? "")")
            #expect(try await backend.json(.get, backend.path("/apis/")).object.number("totalnumber") == 0)
        }
    }

    @Test(
        "Of a server that does not exist there is no registry",
        arguments: ["/applications/", "/apis/", "/roles/", "/users/", "/keys/", "/registration/"])
    func unknownServer(rest: String) async throws {
        try await withBackend { backend in
            let (status, error) = try await backend.json(.get, "/servers/AAAAAAAAAAAAAAAAAAAAAA\(rest)")
            #expect(status == 404 && error.text("error") == "server_unknown")
        }
    }

    @Test("There are no keys for tokens before there is anybody to get one")
    func noKeys() async throws {
        try await withBackend { backend in
            let (status, none) = try await backend.json(.get, backend.path("/keys/"))
            #expect(status == 200 && none.names == ["keys"] && none.objects("keys").isEmpty)
            let (refused, error) = try await backend.json(.post, backend.path("/keys/rotate"), body: "{}")
            #expect(refused == 409 && error.text("error") == "no_provider")
        }
    }

    @Test("An emergency replaces the keys that sign, and the former are told no more")
    func keys() async throws {
        try await withBackend { backend in
            _ = try await backend.send(.put, backend.path(Self.api), body: Self.things)
            func kids() async throws -> Set<String> {
                Set(try await backend.json(.get, backend.path("/keys/")).object.objects("keys").compactMap { $0.text("kid") })
            }
            let (status, first) = try await backend.json(.post, backend.path("/keys/rotate"), body: "{}")
            #expect(status == 200 && first.objects("keys").contains { $0.text("use") == "signs" })
            let before = try await kids()
            #expect(!before.isEmpty)
            _ = try await backend.send(.post, backend.path("/keys/rotate"), body: #"{"end_refresh_tokens":true}"#)
            #expect(try await kids().isDisjoint(with: before))
        }
    }
}
