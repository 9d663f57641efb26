import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryTokens
import Testing

@testable import AuthServer

/// A client of the provider, as it speaks HTTP.
struct OAuthClient: Sendable {
    let client: any TestClientProtocol
    let fixture: OAuthFixture

    /// What an endpoint answered.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPFields
        let body: [UInt8]

        /// Empty for what is no JSON object.
        var json: OstiaryTokens.JSONObject { (try? JSONReader.object(body)) ?? OstiaryTokens.JSONObject() }
        var error: String? { json["error"]?.string }

        /// As RFC 6749 §5.2 has an error: status and word, JSON, and nobody keeps it.
        func isError(_ word: String, _ status: Int = 400) -> Bool {
            self.status == status && error == word && json["error_description"]?.string?.isEmpty == false && isForNobodyElse
        }

        /// JSON that no cache keeps.
        var isForNobodyElse: Bool {
            headers[.contentType] == "application/json" && headers[.cacheControl] == "no-store" && headers[.pragma] == "no-cache"
        }
    }

    typealias Form = KeyValuePairs<String, String?>

    static let formType = "application/x-www-form-urlencoded"
    static let webBasic = "Basic \(Data("web-1:\(escaped(OAuthFixture.secret))".utf8).base64EncodedString())"

    func post(
        _ path: String, _ form: Form, authorization: [String] = [], proofs: [String] = [], contentType: String? = formType
    ) async throws -> Answer {
        try await send(.post, path, Self.encoded(form), authorization: authorization, proofs: proofs, contentType: contentType)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, authorization: [String] = [], proofs: [String] = [],
        contentType: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.contentType] = contentType
        for value in authorization { headers.append(HTTPField(name: .authorization, value: value)) }
        for value in proofs { headers.append(HTTPField(name: .dpop, value: value)) }
        let answer = try await client.execute(uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
        return Answer(status: answer.status.code, headers: answer.headers, body: Array(buffer: answer.body))
    }

    static func encoded(_ form: Form) -> String {
        form.compactMap { name, value in value.map { "\(escaped(name))=\(escaped($0))" } }.joined(separator: "&")
    }

    /// With some parameters in place of all of their names; nil takes one out.
    static func encoded(_ form: Form, changed changes: Form) -> String {
        let names = Set(changes.map(\.key))
        let kept = form.filter { !names.contains($0.key) } + changes.filter { $0.value != nil }
        return kept.compactMap { name, value in value.map { "\(escaped(name))=\(escaped($0))" } }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "-._~").union(.alphanumerics)) ?? ""
    }

    /// The exchange of the reference (S3-30 … S3-35); nil takes a parameter out.
    func exchange(_ code: String, _ changes: Form = [:], authorization: [String] = [], proofs: [String] = []) async throws -> Answer {
        let usual: Form = [
            "grant_type": "authorization_code", "client_id": "shop-1", "code_verifier": Sample.verifier, "code": code,
            "redirect_uri": "com.example.shop:/cb",
        ]
        let body = Self.encoded(usual, changed: changes)
        return try await send(.post, "/oauth/token", body, authorization: authorization, proofs: proofs, contentType: Self.formType)
    }

    func refresh(_ token: String?, proofs: [String] = []) async throws -> Answer {
        try await post("/oauth/token", ["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": token], proofs: proofs)
    }

    /// An access token of Alice's for the app, good at userinfo as well.
    func accessToken(_ byte: UInt8 = 5, proofs: [String] = []) async throws -> String {
        let answer = try await exchange(try await fixture.code(byte).text, proofs: proofs)
        return try #require(answer.json["access_token"]?.string)
    }
}
