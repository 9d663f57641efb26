import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import OAuthProvider
import OstiaryProtocol

/// A browser brings a request, logs in where that is needed, and is sent back to its client.
extension AuthorizeRoutes {
    /// GET /authorize (RFC 6749 §3.1).
    func authorize(_ call: BrowserCall) async throws -> Response {
        guard let parameters = call.query?.all else { throw VisitRefusal.refused("the address is not percent-encoded UTF-8") }
        if let client = call.query?["client_id"].flatMap(ClientID.init) { RequestTrace.current?.note(.client, client.text) }
        let login = try await logins(of: call).newest(at: call.now)?.facts
        let begun = try await oauth.visits.begin(parameters, from: call.place, by: login, at: call.server, now: call.now)
        if case .leave(_, let refusal?) = begun.turn.step { note(refusal, call) }
        return try await show(begun, call)
    }

    /// The client is told by redirect, and whoever sets it up reads it here. That nobody is logged in, or has agreed, is what `prompt=none` asks.
    private func note(_ refusal: AuthorizeRefusal, _ call: BrowserCall) {
        guard !refusal.isAnswer, let heldBack = refusals.admit(refusal.reason) else { return }
        var facts: [LogKey: String] = [.reason: refusal.reason, .error: refusal.code.rawValue]
        if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
        call.logger.line(.info, "authorization refused", facts)
    }

    /// GET /authorize/continue: the way back from the login page.
    func goOn(_ call: BrowserCall) async throws -> Response {
        let visit = visit(of: call)
        if let text = call.query?["returncode"] { try await handIn(text, for: visit, call) }
        guard let visit else { throw VisitRefusal.over }
        var logins = logins(of: call)
        let own = try await logins.login(of: visit.secret, at: call.now)
        if let own { try await logins.add(own, at: call.now) }
        let arrival = try await logins.arrival(of: visit, at: call.now)
        var response = try await show(try await oauth.visits.goOn(visit.subject, arrival, at: call.server, now: call.now), of: visit, call)
        if own != nil { response.headers[values: .setCookie].append(cookies.keeping(logins.secrets, at: call.server)) }
        return response
    }

    /// A code that comes without the visit of its login is spent like any other, and ends that login: it is in another browser than the one that began.
    private func handIn(_ text: String, for visit: Visit?, _ call: BrowserCall) async throws {
        guard let code = ReturnCode(text: text) else { throw VisitRefusal.over }
        let nonce = visit?.nonce ?? SessionNonce(naming: PageSecret(using: random))
        do {
            _ = try await domain.sessions.handIn(code, by: nonce, at: call.server, from: .page, now: call.now)
        } catch is ReturnCodeWrong {
            throw VisitRefusal.over
        }
    }

    /// GET /authorize/cancel: the person leaves the login page.
    func cancel(_ call: BrowserCall) async throws -> Response {
        guard let visit = visit(of: call) else { throw VisitRefusal.over }
        return try await show(try await oauth.visits.cancel(visit.subject, at: call.server, now: call.now), of: visit, call)
    }
}

/// What a browser does next.
extension AuthorizeRoutes {
    /// The visit that a request names by `?visit=`, of this browser.
    func visit(of call: BrowserCall) -> Visit? {
        call.query?["visit"].flatMap { PageID(received: $0) }.flatMap { cookies.visit($0, in: call.headers) }
    }

    /// Of a visit that has just begun.
    func show(_ begun: BegunVisit, _ call: BrowserCall) async throws -> Response {
        let visit = begun.subject.map { Visit(secret: PageSecret(using: random), subject: $0, begunAt: call.now) }
        return try await show(begun.turn, of: visit, call)
    }

    /// - Parameter visit: nil where none waits.
    private func show(_ turn: VisitTurn, of visit: Visit?, _ call: BrowserCall) async throws -> Response {
        let language = call.language(among: turn.uiLocales)
        switch (turn.step, visit) {
        case (.logIn(let offered), let visit?): return try await openLogin(visit, ShownRequest(offered, in: language, headers: call.headers), call)
        case (.ask, let visit?): return ask(visit, call, in: language)
        case (.leave(let response, _), let visit): return leave(visit, by: answer(response, in: language))
        case (.typeCode, let visit): return leave(visit, by: Self.redirect(to: call.address(ProviderPath.verification.rawValue)))
        case (.logIn, nil), (.ask, nil): throw VisitRefusal.over
        }
    }

    /// A login page of ours, which sends the browser back to the visit.
    private func openLogin(_ visit: Visit, _ shown: ShownRequest, _ call: BrowserCall) async throws -> Response {
        try await domain.sessions.checkKeys(of: call.server)
        let page = Page(
            kind: .login, serverID: call.server, nonceHash: visit.nonce.hash, name: shown.expectedName ?? "",
            returnURL: ReturnURL(call.address("/authorize/continue", of: visit)),
            cancelURL: ReturnURL(call.address("/authorize/cancel", of: visit)), request: shown.loginRequest(texts),
            visit: visit.subject.hash)
        var response = Self.redirect(to: try await pages.open(page, in: shown.language, at: call.now))
        response.headers[values: .setCookie] = cookies.keeping(visit, in: call.headers)
        return response
    }

    /// The page on which the person is asked.
    private func ask(_ visit: Visit, _ call: BrowserCall, in language: PageLanguage) -> Response {
        var response = Self.redirect(to: call.address("/authorize/consent", of: visit) + "&lang=\(language.rawValue)")
        response.headers[values: .setCookie] = cookies.keeping(visit, in: call.headers)
        return response
    }

    /// The visit is over, if one waited.
    private func leave(_ visit: Visit?, by answer: Response) -> Response {
        guard let visit else { return answer }
        var response = answer
        response.headers[values: .setCookie] = [cookies.forgetting(visit)]
        return response
    }
}
