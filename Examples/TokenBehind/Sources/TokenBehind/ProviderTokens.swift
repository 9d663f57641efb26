import AsyncHTTPClient
import Foundation
import NIOCore

/// Tokens of an OAuth 2 provider, Ostiary's own or any other, by the client credentials of this service (RFC 6749 §4.4). Such a token is this service's: the API
/// learns nothing from it of who is logged in, but that this service saw somebody.
struct ProviderTokens: TokenSource {
    /// A token answer has no more.
    private static let longestAnswer = 65_000

    let endpoint: String
    let clientID: String
    let clientSecret: String
    let scope: String?
    let audience: String?

    private struct NotNow: Error { let status: UInt }

    func token(for question: Question) async throws -> GivenToken {
        var request = HTTPClientRequest(url: endpoint)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        let pair = "\(Self.escaped(clientID)):\(Self.escaped(clientSecret))"
        request.headers.add(name: "authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())")
        request.body = .bytes(ByteBuffer(string: form))
        let response = try await ProviderClient.shared.execute(request, timeout: .seconds(4))
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        guard response.status == .ok else { throw NotNow(status: response.status.code) }
        // As it came: who reads it is the app, or its API.
        return GivenToken(bytes: Array(body.readableBytesView), contentType: response.headers.first(name: "content-type") ?? "application/json")
    }

    private var form: String {
        let optional = [("scope", scope), ("audience", audience)].compactMap { name, value in value.map { (name, $0) } }
        return ([("grant_type", "client_credentials")] + optional).map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    }

    /// All but what is unreserved (RFC 3986 §2.3).
    private static let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
}
