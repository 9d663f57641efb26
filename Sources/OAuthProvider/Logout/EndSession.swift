import OstiaryProtocol
import OstiaryTokens

/// Why a browser is sent nowhere after a logout. The person is told on a page; they are asked whether they want to log out in any case but
/// `hintWrong`.
package enum EndSessionRefusal: Error, Equatable, Sendable {
    case parameterRepeated(String)
    /// `id_token_hint` is no ID token of ours. One of ours from before the keys were replaced is no refusal: the person is asked.
    case hintWrong
    /// `client_id` is not the client of the token.
    case clientDiffers
    /// Not one that the client registered, to the byte.
    case redirectNotRegistered
}

/// What a request to log out comes to (OpenID Connect RP-Initiated Logout §2, §3).
package struct EndSession: Equatable, Sendable {
    /// The session that the client means; nil when it sent no hint that shows one.
    package let session: SessionID?
    /// Whether the person is asked first: nothing shows that the request is a client's own (§2).
    package let asksFirst: Bool
    /// Where the browser goes afterwards; nil for a page of ours.
    package let location: String?

    package init(session: SessionID?, asksFirst: Bool, location: String?) {
        self.session = session
        self.asksFirst = asksFirst
        self.location = location
    }

    /// Whether a browser is logged out without a question to its person: nobody is logged in there, or the client shows a token of one of those who are. A
    /// token of another login says nothing of who is logged in here.
    /// - Parameters:
    ///   - wish: nil where the client asks for what it may not have.
    ///   - sessions: of the browser's logins that go on.
    package static func isDoneAtOnce(_ wish: EndSession?, among sessions: [SessionID]) -> Bool {
        guard !sessions.isEmpty else { return true }
        guard let wish, !wish.asksFirst, let session = wish.session else { return false }
        return sessions.contains(session)
    }

    /// - Parameter application: by the client of the hint or by `client_id`; nil if there is none.
    package static func check(_ parameters: Parameters, keys: TokenKeys, application: Application?) throws(EndSessionRefusal) -> EndSession {
        if let name = parameters.repeated { throw .parameterRepeated(name) }
        let hint = try hint(parameters["id_token_hint"], keys)
        if let hint, let named = parameters["client_id"], named != hint.client { throw .clientDiffers }
        var location: String?
        if let target = parameters["post_logout_redirect_uri"] {
            // Only a client that is known says where to: anybody else's wish is an open redirect.
            guard let application, hint == nil || hint?.client == application.id.text,
                application.postLogoutRedirectURIs.contains(where: target.isSame)
            else {
                throw .redirectNotRegistered
            }
            location = target + (parameters["state"].map { (target.contains("?") ? "&" : "?") + "state=" + AuthorizeResponse.escaped($0) } ?? "")
        }
        return EndSession(session: hint?.session, asksFirst: hint == nil, location: location)
    }

    /// The client that a request names, by its hint or by itself, to be looked up.
    package static func client(of parameters: Parameters, keys: TokenKeys) -> ClientID? {
        ((try? hint(parameters["id_token_hint"], keys))?.client ?? parameters["client_id"]).flatMap { ClientID($0) }
    }

    private static func hint(_ text: String?, _ keys: TokenKeys) throws(EndSessionRefusal) -> (client: String, session: SessionID?)? {
        guard let text else { return nil }
        // It may be over: people log out of what they began long ago (§4).
        switch keys.hint(text) {
        case .ours(let claims):
            guard let client = claims["aud"]?.string else { throw .hintWrong }
            return (client, claims["sid"]?.string.flatMap { SessionID(text: $0) })
        // Websites that were logged in before still send it. As if it had not come: what can't be verified is not used (§4), and the person decides.
        case .keyGone: return nil
        case .wrong: throw .hintWrong
        }
    }
}
