import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("OpenAPI document")
struct OpenAPITests {
    @Test("It has every call of the API, and no other")
    func isComplete() async throws {
        let premises = try await Premises()
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var described: Set<String> = []
        for (path, item) in paths {
            for method in item.keys where method != "parameters" { described.insert("\(method.uppercased()) \(path)") }
        }
        let served = Set(premises.adminRoutes.table.map { "\($0.method.rawValue) \($0.path)" })
        #expect(described.subtracting(["GET /openapi.json"]) == served)
    }

    @Test("The objects that are served have the members that are described", arguments: ["Server", "Account", "LoginStatus"])
    func describesObjects(name: String) async throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any])
        let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let described = try #require(schemas?[name]?["properties"] as? [String: Any])
        let required = try #require(schemas?[name]?["required"] as? [String])
        let served = try await served(name)
        #expect(served.isSubset(of: Set(described.keys)))
        #expect(Set(required).isSubset(of: served))
    }

    private func served(_ name: String) async throws -> Set<String> {
        let premises = try await Premises()
        let account = try await premises.addAccount()
        return try await premises.asBackend { (backend) async throws in
            switch name {
            case "Server": return try await backend.json(.get, backend.path("/")).object.names
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
