import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("API key")
struct AdminKeyTests {
    @Test("Every call without the key, or with another one, is 401 and says nothing else")
    func refusesWithoutKey() async throws {
        let premises = try await PagesFixture()
        let server = premises.serverID.text
        try await premises.asBackend { (backend) async throws in
            for route in premises.adminRoutes.table {
                let uri = route.path.replacingOccurrences(of: "{serverid}", with: server)
                for key in [nil, "", "another key", PagesFixture.key + "x", String(PagesFixture.key.dropLast())] {
                    let response = try await backend.send(route.method, uri, key: key)
                    #expect(response.status == .unauthorized, "\(route.method) \(route.path)")
                    #expect(JSONObject(response.body).names == ["error", "message", "requestId"])
                }
            }
        }
    }

    @Test("An address that does not exist is told only to who has the key")
    func hidesAddresses() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.send(.get, "/secrets", key: nil).status == .unauthorized)
            #expect(try await backend.send(.get, "/secrets").status == .notFound)
        }
    }

    @Test("The OpenAPI document needs no key")
    func servesDocument() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.get, "/openapi.json", key: nil)
            #expect(response.status == .ok)
            #expect(JSONObject(response.body).text("openapi") == "3.1.0")
            let other = try await backend.send(.get, "/openapi.json?version=2", key: nil)
            #expect(other.status == .badRequest && JSONObject(other.body).text("error") == "unknown_field")
        }
    }
}
