import Authentication

/// How the answer of an authorization request comes to its client.
package enum ResponseMode: String, CaseIterable, Sendable {
    /// In the address to which the browser is sent (OAuth 2.0 Multiple Response Types §2.1).
    case query
    /// As a form that the browser posts there, so that no code stands in an address (OAuth 2.0 Form Post Response Mode §2).
    case formPost = "form_post"

    /// The one that a request names, which is `query` where it names none.
    /// - Returns: nil for a mode that is none of ours, that came twice, or that can't bring anything to this address.
    init?(of parameters: Parameters, to redirect: Redirect) {
        let named = parameters.values("response_mode")
        guard named.count <= 1, let mode = ResponseMode(rawValue: named.first ?? Self.query.rawValue) else { return nil }
        guard mode != .formPost || redirect.formOrigin != nil else { return nil }
        self = mode
    }
}

extension Redirect {
    /// The origin to which a page of ours may post; nil for an app's own scheme, and for a host that no policy of a page can name.
    package var formOrigin: FrameOrigin? { FrameOrigin(of: text) }
}

extension FrameOrigin {
    /// The origin of an address; nil where that is none of the web, or none that a policy can name.
    init?(of address: String) {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        self.init(String(address[..<start] + address[start...].prefix { !"/?#".contains($0) }))
    }
}
