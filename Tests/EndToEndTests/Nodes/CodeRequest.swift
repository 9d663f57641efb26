import Foundation
import OstiaryProtocol
import OstiaryTokens

@testable import OstiaryPhone

/// What a website sends a browser to `/authorize` with, and keeps for the code that comes back.
struct CodeRequest: Sendable {
    static let site = "shop"
    /// Whose code it is not.
    static let otherSite = "kiosk"
    static let callback = "https://\(site).example/cb"
    /// The site's own as well, and not that of the request.
    static let otherCallback = "https://\(site).example/other"

    /// Whether what the code gives outlives the login.
    let isLasting: Bool
    private let verifier = CodeVerifier(using: SystemRandomSource())
    private let state = Base64URL.encode(SystemRandomSource().bytes(16))

    init(isLasting: Bool) { self.isLasting = isLasting }

    /// Where the browser goes.
    /// - Parameter origin: of the provider.
    func address(at origin: String) -> String {
        let parameters: KeyValuePairs<String, String> = [
            "client_id": Self.site, "redirect_uri": Self.callback, "response_type": "code",
            "scope": "openid \(TokenCaller.scope)" + (isLasting ? " offline_access" : ""), "audience": TokenCaller.api, "state": state,
            "code_challenge": verifier.challenge.text, "code_challenge_method": "S256",
        ]
        return "\(origin)/authorize?" + parameters.map { "\($0)=\(TokenCaller.escaped($1))" }.joined(separator: "&")
    }

    /// The code in an address to which the provider sends the browser; nil where that is not the answer to this request.
    func code(in location: String?) -> String? {
        guard let location, location.hasPrefix(Self.callback + "?"), let items = URLComponents(string: location)?.queryItems,
            items.contains(where: { $0.name == "state" && $0.value == state })
        else { return nil }
        return items.first { $0.name == "code" }?.value
    }

    /// What of it is another's.
    enum Mistake: CaseIterable, Sendable { case verifier, redirectURI, client }

    /// What is shown with a code.
    func form(_ code: String, mistaking mistake: Mistake? = nil) -> KeyValuePairs<String, String> {
        [
            "grant_type": "authorization_code", "client_id": mistake == .client ? Self.otherSite : Self.site, "code": code,
            "redirect_uri": mistake == .redirectURI ? Self.otherCallback : Self.callback,
            "code_verifier": mistake == .verifier ? CodeVerifier(using: SystemRandomSource()).sent : verifier.sent,
        ]
    }
}

extension TokenCaller {
    /// Makes two websites known that may ask for codes.
    static func registerSites(_ backend: DemoBackend) async throws {
        try await register(CodeRequest.site, at: [CodeRequest.callback, CodeRequest.otherCallback], backend)
        try await register(CodeRequest.otherSite, at: ["https://\(CodeRequest.otherSite).example/cb"], backend)
    }

    private static func register(_ site: String, at callbacks: [String], _ backend: DemoBackend) async throws {
        let addresses = callbacks.map { #""\#($0)""# }.joined(separator: ",")
        try await put(
            backend, "applications/\(site)/",
            #"""
            {"kind":"web","client_name":"\#(site)","first_party":true,"token_endpoint_auth_method":"none","apis":{"\#(api)":["\#(scope)"]},
             "redirect_uris":[\#(addresses)],"grant_types":["authorization_code","refresh_token"]}
            """#)
    }

    /// Shows a code that a browser brought.
    /// - Returns: nil where it is not good, or not good any more.
    func redeem(_ code: String, of request: CodeRequest, mistaking mistake: CodeRequest.Mistake? = nil) async throws -> Given? {
        try await given(request.form(code, mistaking: mistake))
    }
}
