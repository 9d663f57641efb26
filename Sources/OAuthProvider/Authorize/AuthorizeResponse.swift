import OstiaryProtocol

/// The answer of an authorization request: where the browser goes (RFC 6749 §4.1.2), with `iss` in each (RFC 9207 §2).
package struct AuthorizeResponse: Equatable, Sendable {
    package let mode: ResponseMode
    package let redirect: Redirect
    package let parameters: [Parameter]

    /// - Parameter code: for the client that will redeem it. It is good once, for a minute, with the verifier.
    package init(to redirect: Redirect, code: String, state: String?, issuer: String, by mode: ResponseMode = .query) {
        self.init(to: redirect, [("code", code), ("state", state), ("iss", issuer)], by: mode)
    }

    package init(to redirect: Redirect, refusal: AuthorizeRefusal, state: String?, issuer: String, by mode: ResponseMode = .query) {
        self.init(
            to: redirect, [("error", refusal.code.rawValue), ("error_description", refusal.description), ("state", state), ("iss", issuer)], by: mode)
    }

    private init(to redirect: Redirect, _ parameters: [(String, String?)], by mode: ResponseMode) {
        self.mode = mode
        self.redirect = redirect
        self.parameters = parameters.compactMap { name, value in value.map { Parameter(name, $0) } }
    }

    /// The address with the answer in its query, as RFC 6749 §4.1.2 has it. The registered address keeps its own (§3.1.2).
    package var location: String {
        let query = parameters.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&")
        let address = redirect.text
        guard address.contains("?") else { return "\(address)?\(query)" }
        return address.hasSuffix("?") || address.hasSuffix("&") ? address + query : "\(address)&\(query)"
    }

    /// Everything but unreserved characters as an escape (RFC 3986 §2.3), so that nothing in a value ends it.
    package static func escaped(_ text: String) -> String { PercentEscape.text(text) }
}
