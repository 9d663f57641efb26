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
        let wish = try await oauth.endSession.wish(call.query?.all, at: call.server)
        var logins = logins(of: call)
        let sessions = try await logins.going(at: call.now).map(\.facts.session)
        guard EndSession.isDoneAtOnce(wish, among: sessions) else { return texts.response(.logout, to: call.request) }
        return try await loggedOut(&logins, wish, call)
    }

    /// POST /logout/decision: the person wants to. The page says with which query it was opened.
    func decideLogout(_ call: BrowserCall) async throws -> Response {
        try pages.checkPost(call.headers)
        let body = try JSONBody.decode(LogoutBody.self, from: try await call.request.bytes(limit: Self.bodyLimit))
        let wish = try await oauth.endSession.wish(FormText.parameters(body.query.utf8), at: call.server)
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
}

private struct LogoutBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case query }

    let query: String
}
