import Foundation
import OstiaryMobile

/// What the app asks of the token service and of the backend.
struct PayrollCalls: Sendable {
    static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"

    let transport: any Transport
    let tokenService: URL
    let backend: URL
    /// The identifier of the backend, `aud` of its tokens.
    let audience: String

    /// A token for whoever is logged in with this webNonce, which goes out in a field of the header and never in an address.
    func token(for webNonce: String) async throws(TransportError) -> TransportResponse {
        let form = "grant_type=\(Self.escaped(Self.grantType))&audience=\(Self.escaped(audience))"
        let fields = ["x-webnonce": webNonce, "content-type": "application/x-www-form-urlencoded"]
        return try await transport.send(
            TransportRequest(url: tokenService.appending(path: "token"), body: Array(form.utf8), timeout: 10, fields: fields))
    }

    func payslips(with token: String) async throws(TransportError) -> TransportResponse {
        try await transport.send(
            TransportRequest(url: backend.appending(path: "payslips"), body: nil, timeout: 10, fields: ["authorization": "Bearer \(token)"]))
    }

    func pay(with token: String) async throws(TransportError) -> TransportResponse {
        let fields = ["authorization": "Bearer \(token)", "content-type": "application/json"]
        return try await transport.send(
            TransportRequest(
                url: backend.appending(path: "payments"), body: Array(#"{"account":"NL00","cents":1250}"#.utf8), timeout: 10, fields: fields))
    }

    private static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
