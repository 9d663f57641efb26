import Foundation
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the provider that asks people on their phones (CIBA), registered at a pair's server as an operator does it.
struct Till: Sendable {
    /// What it was given to ask by, and to show.
    struct Begun: Sendable {
        let requestID: String
        let number: String

        /// Another number of three digits.
        func other(by step: Int = 1) throws -> String { String(100 + (try #require(Int(number)) - 100 + step) % 900) }
    }

    private let address: String
    private let secret: String

    init(at pair: ProcessesFixture, _ backend: DemoBackend) async throws {
        secret = try await backend.registerTill()
        let address = pair.layout.publicURL
        self.address = address
        try await eventually("there is a provider") { try await pair.answer(address + "/.well-known/openid-configuration").status == 200 }
    }

    /// Asks Alice.
    /// - Parameter message: what stands on its own screen, too.
    func ask(_ message: String = "W4-12") async throws -> Begun {
        let answer = try await post("/oauth/bc-authorize", "scope=openid&login_hint=alice&binding_message=\(message)")
        return Begun(requestID: try #require(answer["auth_req_id"]?.string), number: try #require(answer["number"]?.string))
    }

    /// Nil when it was given tokens, else the error.
    func poll(_ begun: Begun) async throws -> String? {
        let answer = try await post("/oauth/token", "grant_type=urn:openid:params:grant-type:ciba&auth_req_id=\(begun.requestID)")
        guard answer["access_token"] == nil else { return nil }
        return try #require(answer["error"]?.string)
    }

    private func post(_ path: String, _ form: String) async throws -> JSONLine {
        var request = URLRequest(url: try #require(URL(string: address + path)), timeoutInterval: 300)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue("Basic " + Data("till:\(secret)".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        request.httpBody = Data(form.utf8)
        return try JSONDecoder().decode(JSONLine.self, from: try await URLSession.shared.data(for: request).0)
    }
}
