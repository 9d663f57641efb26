import Foundation
import OstiaryProtocol
import OstiaryTokens

/// A code with PKCE, from the address that the browser is sent to (RFC 6749 §4.1.1, RFC 7636 §4.3) to the code out of the address by which it comes back. What it
/// was begun with is in memory only: an app that ends meanwhile begins anew.
struct AuthorizationVisit: Sendable {
    let redirectURL: URL
    let state: String
    let nonce: String
    let verifier: CodeVerifier

    init(redirectURL: URL, using random: any RandomSource) {
        self.redirectURL = redirectURL
        state = Base64URL.encode(random.bytes(16))
        nonce = Base64URL.encode(random.bytes(16))
        verifier = CodeVerifier(using: random)
    }

    /// - Parameters:
    ///   - boundKey: `dpop_jkt`, to which the code is bound (RFC 9449 §10); nil for none.
    ///   - prompt: `login` where the person has to log in anew, nil else.
    func address(_ settings: TokenSettings, at endpoints: ProviderEndpoints, boundKey: String?, prompt: String?) throws(TokenError) -> URL {
        var parameters = [
            (name: "response_type", value: "code"), (name: "client_id", value: settings.clientID),
            (name: "redirect_uri", value: redirectURL.absoluteString), (name: "scope", value: settings.scope), (name: "state", value: state),
            (name: "nonce", value: nonce), (name: "code_challenge", value: verifier.challenge.text), (name: "code_challenge_method", value: "S256"),
        ]
        if let audience = settings.audience { parameters.append((name: "audience", value: audience)) }
        if let boundKey { parameters.append((name: "dpop_jkt", value: boundKey)) }
        if let prompt { parameters.append((name: "prompt", value: prompt)) }
        return try endpoints.authorization.with(parameters)
    }

    /// The code of the answer.
    /// - Throws: `callback` for what is not the answer to this request, which then has no say in what becomes of it; what the provider answered else.
    func code(in callback: URL, from settings: TokenSettings, at endpoints: ProviderEndpoints) throws(TokenError) -> String {
        let parameters = try CallbackParameters(callback, at: redirectURL)
        // First of all: an error that somebody sent is no more of ours than a code.
        guard let state = parameters["state"], matches(Array(state.utf8), Array(self.state.utf8)) else { throw .callback(.state) }
        if let issuer = parameters["iss"] {
            guard isSame(issuer, settings.issuer) else { throw .callback(.issuer) }
        } else {
            guard !endpoints.namesItself else { throw .callback(.issuer) }
        }
        if let error = parameters["error"] { throw TokenError(authorizationError: error) }
        guard let code = parameters["code"], !code.isEmpty else { throw .callback(.codeMissing) }
        return code
    }
}

/// The query of an address by which a browser came back.
struct CallbackParameters {
    private let values: [String: String]

    /// - Throws: `callback`, for another address than the one that the browser was told, and for a name that is there twice.
    init(_ callback: URL, at redirectURL: URL) throws(TokenError) {
        guard let came = URLComponents(url: callback, resolvingAgainstBaseURL: false),
            let told = URLComponents(url: redirectURL, resolvingAgainstBaseURL: false)
        else { throw .callback(.address) }
        guard came.scheme?.lowercased() == told.scheme?.lowercased(), (came.host ?? "").lowercased() == (told.host ?? "").lowercased(),
            came.port == told.port, came.percentEncodedPath == told.percentEncodedPath, came.user == nil, came.password == nil
        else { throw .callback(.address) }
        var values: [String: String] = [:]
        for item in came.queryItems ?? [] {
            guard values.updateValue(item.value ?? "", forKey: item.name) == nil else { throw .callback(.twice) }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }
}

extension URL {
    /// With parameters behind those that it has.
    func with(_ parameters: [(name: String, value: String)]) throws(TokenError) -> URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: false) else { throw .metadata(.endpoint) }
        let query = [components.percentEncodedQuery, PercentEscape.form(parameters)].compactMap { $0 }.filter { !$0.isEmpty }
        components.percentEncodedQuery = query.joined(separator: "&")
        guard let url = components.url else { throw .metadata(.endpoint) }
        return url
    }
}

extension TokenError {
    /// What the provider told by way of the browser (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
    init(authorizationError error: String) {
        self =
            switch error {
            case "access_denied": .denied
            case "login_required", "interaction_required", "consent_required", "account_selection_required": .interactionRequired
            case "server_error", "temporarily_unavailable": .serverBusy
            default: .refused(TokenRefusalCode(rawValue: error) ?? .other)
            }
    }
}
