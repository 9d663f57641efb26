import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// RP-initiated logout (OpenID Connect RP-Initiated Logout §2), as its person sees it.
extension AuthorizeRoutes {
    /// GET /logout: done at once where the client shows a token of a login of this browser; otherwise the person is asked.
    func logOut(_ call: BrowserCall) async throws -> Response {
        let wish = try await wish(call.query, call)
        var logins = logins(of: call)
        guard let login = try await logins.newest(at: call.now) else { return try await loggedOut(&logins, wish, call) }
        guard let wish, !wish.asksFirst, try await names(wish, one: logins, login, at: call.now) else {
            return texts.response(.logout, to: call.request)
        }
        return try await loggedOut(&logins, wish, call)
    }

    /// POST /logout/decision: the person wants to. The page says with which query it was opened.
    func decideLogout(_ call: BrowserCall) async throws -> Response {
        try pages.checkPost(call.headers)
        let body = try JSONBody.decode(LogoutBody.self, from: try await call.request.bytes(limit: Self.bodyLimit))
        let wish = try await wish(FormText.parameters(body.query.utf8).map { OAuthProvider.Parameters($0) }, call)
        var logins = logins(of: call)
        let done = try await loggedOut(&logins, wish, call)
        var response = Response.object { $0.member("location", done.headers[.location]) }
        response.headers[values: .setCookie] = done.headers[values: .setCookie]
        return response
    }

    /// The client's own session ends too where the browser has lost it: its cookies go when it is closed, a client's may not.
    private func loggedOut(_ logins: inout BrowserLogins, _ wish: EndSession?, _ call: BrowserCall) async throws -> Response {
        try await logins.endAll(at: call.now)
        if let session = wish?.session { try await domain.sessions.logOut(session, at: call.server, by: .page, now: call.now) }
        var response = Self.redirect(to: wish?.location ?? call.address("/logout/done"))
        response.headers[values: .setCookie] = [cookies.keeping([], at: call.server)]
        return response
    }

    /// What the client wants; nil where it asks for what it may not have: the person can log out nevertheless, and is sent nowhere.
    /// - Throws: ``VisitRefusal/refused(_:)`` for a token that is none of ours.
    private func wish(_ parameters: OAuthProvider.Parameters?, _ call: BrowserCall) async throws -> EndSession? {
        guard let parameters else { return nil }
        do {
            return try await oauth.endSession.check(parameters.all, at: call.server)
        } catch EndSessionRefusal.hintWrong {
            throw VisitRefusal.refused("id_token_hint is not an ID token of this provider")
        } catch is EndSessionRefusal {
            return nil
        }
    }

    /// Whether the session of the client's token is one of this browser's that go on. A token of another one says nothing of who is logged in here.
    private func names(_ wish: EndSession, one logins: BrowserLogins, _ newest: BrowserLogin, at now: Instant) async throws -> Bool {
        guard wish.session != newest.session else { return true }
        for secret in logins.secrets where try await logins.login(of: secret, at: now)?.session == wish.session { return true }
        return false
    }
}

private struct LogoutBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case query }

    let query: String
}
