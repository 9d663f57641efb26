import Authentication
import Foundation
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("OpenAPI document")
struct OpenAPITests {
    @Test("It has every call of the API, and no other")
    func isComplete() async throws {
        let premises = try await PagesFixture()
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var described: Set<String> = []
        for (path, item) in paths {
            for method in item.keys where method != "parameters" { described.insert("\(method.uppercased()) \(path)") }
        }
        let served = Set(premises.adminRoutes.table.map { "\($0.method.rawValue) \($0.path)" })
        #expect(described.subtracting(["GET /openapi.json"]) == served)
    }

    @Test(
        "The objects that are served have the members that are described",
        arguments: ["Server", "Account", "LoginStatus", "Application", "API", "Role", "User", "Registration", "Service", "Grant", "Consent"])
    func describesObjects(name: String) async throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let described = try #require(schemas?[name]?["properties"] as? [String: Any])
        let required = try #require(schemas?[name]?["required"] as? [String])
        let served = try await served(name)
        #expect(served.isSubset(of: Set(described.keys)))
        #expect(Set(required).isSubset(of: served))
    }

    @Test("A login that waits for its browser has the members that the document says it has then, and no other")
    func describesReturning() async throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let sentences = try #require(schemas?["LoginStatus"]?["description"] as? String).split(separator: ". ")
        let said = try #require(sentences.first { $0.contains("(`returning`)") })
        #expect(said.contains("nothing else"))
        let described = Set(said.matches(of: #/`(\w+)`/#).map { String($0.1) }).subtracting(["returning"])
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        _ = try await premises.asBrowser { (browser) async throws in try await browser.open() }
        _ = try await premises.approve(account)
        let told = try await premises.asBackend { (backend) async throws in try await backend.json(.get, backend.path("/sessions/")).object }
        #expect(told.text("state") == "returning" && told.names == described.union(["loggedin"]))
    }

    @Test("Every object of the document says that it has no other members, as the server sees to it")
    func isStrict() throws {
        let document = try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes))
        var objects = 0
        func look(_ value: Any, _ place: String) {
            for element in value as? [Any] ?? [] { look(element, place) }
            guard let members = value as? [String: Any] else { return }
            if members["type"] as? String == "object", members["properties"] != nil {
                objects += 1
                #expect(members["additionalProperties"] as? Bool == false, "\(place)")
            }
            for (name, member) in members { look(member, "\(place)/\(name)") }
        }
        look(document, "")
        #expect(objects > 10)
    }

    @Test("Every parameter of a query is described where the server takes it, and nowhere else")
    func describesQueries() async throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let shared = (document["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]] ?? [:]
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for route in try await PagesFixture().adminRoutes.table {
            let call = paths[route.path]?[route.method.rawValue.lowercased()] as? [String: Any]
            let described = (call?["parameters"] as? [[String: Any]] ?? []).compactMap { parameter -> [String: Any]? in
                guard let reference = parameter["$ref"] as? String else { return parameter }
                return shared[String(reference.split(separator: "/").last ?? "")]
            }
            let names = described.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
            #expect(Set(names) == Set(route.query), "\(route.method) \(route.path)")
        }
    }

    @Test("A call that takes a body is described with it, and the others without one")
    func describesBodies() async throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for route in try await PagesFixture().adminRoutes.table {
            let call = try #require(paths[route.path]?[route.method.rawValue.lowercased()] as? [String: Any])
            #expect((call["requestBody"] != nil) == route.hasBody, "\(route.method) \(route.path)")
        }
    }

    /// A body is over the bound also where a call takes none, and an answer that is read may be on a disk that fails.
    @Test("Every call says what becomes of a body, an address and header fields that are too long, of an expectation, and of a server in trouble")
    func describesLimits() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for (path, item) in paths {
            for (method, call) in item where method != "parameters" {
                let answers = try #require((call as? [String: Any])?["responses"] as? [String: Any])
                for status in ["413", "414", "417", "431", "503"] { #expect(answers[status] != nil, "\(method) \(path) \(status)") }
            }
        }
        let responses = (document["components"] as? [String: Any])?["responses"] as? [String: [String: Any]]
        for name in ["NoRoom", "Unreachable"] { #expect((responses?[name]?["headers"] as? [String: Any])?["Retry-After"] != nil) }
    }

    @Test("What getServer answers fits what changes a server: it may be sent back as it is")
    func sentBack() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let told = try #require(schemas?["Server"]?["properties"] as? [String: Any])
        let taken = try #require(schemas?["ServerUpdate"]?["properties"] as? [String: Any])
        #expect(Set(told.keys).isSubset(of: taken.keys))
    }

    @Test(
        "What is told of applications, APIs, roles, users, registration and the services behind fits what writes them",
        arguments: ["Application", "API", "Role", "User", "Registration", "Service"])
    func written(name: String) throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let told = try #require(schemas?[name]?["properties"] as? [String: Any])
        let taken = try #require(schemas?["\(name)Put"]?["properties"] as? [String: Any])
        // A secret is drawn here and told once.
        #expect(Set(told.keys).subtracting(["client_secret", "secret"]) == Set(taken.keys))
        let fields: [String: [String]] = [
            "Application": AdminApplicationPut.Field.allCases.map(\.rawValue), "API": AdminAPIPut.Field.allCases.map(\.rawValue),
            "Role": AdminRolePut.Field.allCases.map(\.rawValue), "User": AdminUserPut.Field.allCases.map(\.rawValue),
            "Registration": AdminRegistrationPut.Field.allCases.map(\.rawValue),
            "Service": AdminServicePut.Field.allCases.map(\.rawValue),
        ]
        #expect(Set(fields[name] ?? []) == Set(taken.keys))
    }

    @Test("Every word that an error can have for programs is in the document", arguments: Self.words)
    func describesErrors(word: String) throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let error = (schemas?["Error"]?["properties"] as? [String: [String: Any]])?["error"]
        #expect((error?["enum"] as? [String])?.contains(word) == true)
    }

    private static let words: [String] = {
        let refusals: [any ErrorResponseConvertible] = [
            AdminRefusal.keyWrong, FieldRefusal.notJSON, FieldRefusal.unknown("x", nearest: nil),
            AdminRefusal.accountUnknown, AdminRefusal.immutable("x"), AccountError.userUnknown, AccountError.secondFactorUnavailable,
            AccountError.resetRefused(.tooMany), LoginLinkError.stillCodesRefused, LoginLinkError.loggedIn,
            LoginLinkError.claimed, LoginLinkError.webNonce, UnknownServer(),
            EnrolmentStartError.confirming, ConfirmationError.nothingToConfirm, ConfirmationError.expired, ConfirmationError.accountBlocked,
            ErrorResponse.notFound, AdminRefusal.noProvider, NoSecretWanted(), NoServiceBehind(.token), NoServiceBehind(.data), UnknownGrant(),
            UnknownRegistryItem(.role("x")),
            UnknownRegistryItem(.api(Sample.api)), UnknownRegistryItem(.application(Sample.client)), UnknownRegistryItem(.user("x")),
            ErrorResponse.contentTooLarge, ErrorResponse.uriTooLong, ErrorResponse.serverError, ErrorResponse.storageUnavailable,
            ErrorResponse.shuttingDown,
        ]
        return refusals.map(\.errorResponse.error) + ["wrong_code", "expectation_failed"]
    }()

    private func served(_ name: String) async throws -> Set<String> {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        return try await premises.asBackend { (backend) async throws in
            switch name {
            case "Server": return try await backend.json(.get, backend.path("/")).object.names
            case "Application":
                let body = #"{"kind":"web","client_name":"Shop","redirect_uris":["https://shop.example/cb"]}"#
                return try await backend.json(.put, backend.path("/applications/shop/"), body: body).object.names
            case "API": return try await backend.json(.put, backend.path("/apis/urn%3Aa/"), body: #"{"name":"A"}"#).object.names
            case "Service":
                let put = try await backend.json(.put, backend.path("/tokenservice/"), body: #"{"url":"https://tokens.example/"}"#)
                return put.object.names
            case "Registration": return try await backend.json(.get, backend.path("/registration/")).object.names
            case "Role": return try await backend.json(.put, backend.path("/roles/clerk/"), body: "{}").object.names
            case "User":
                let body = #"{"name":"Alice","email":"a@example.com","picture":"https://pictures.example/a"}"#
                return try await backend.json(.put, backend.path("/users/alice/"), body: body).object.names
            case "Grant", "Consent":
                try await premises.addGrants(of: account)
                let list = "\(name.lowercased())s"
                let all = try await backend.json(.get, backend.path("/accounts/\(account.id.text)/\(list)/")).object.objects(list)
                return try #require(all.last).names
            case "Account": return try await backend.json(.get, backend.path("/accounts/\(account.id.text)/")).object.names
            default:
                _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
                let waiting = try await backend.json(.get, backend.path("/sessions/")).object.names
                try await premises.logIn(account)
                return try await backend.json(.get, backend.path("/sessions/")).object.names.union(waiting)
            }
        }
    }
}
