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
        switch try await oauth.authorize.check(parameters, at: call.server, askedAt: call.now) {
        case .page(let refusal): throw VisitRefusal(refusal)
        case .redirect(let refusal, let response):
            note(refusal, call)
            return answer(response, in: call.language())
        case .request(let asked): return try await begin(asked, parameters, call)
        }
    }

    /// Whoever is logged in and need not be asked is sent back at once, and nothing waits.
    private func begin(_ asked: AuthorizationRequest, _ parameters: [Parameter], _ call: BrowserCall) async throws -> Response {
        let login = try await logins(of: call).newest(at: call.now)
        // Whoever is logged in here was so before, be it in this very second.
        let visit = AuthorizeVisit(askedAt: call.now + 1, session: login?.session)
        let step: AuthorizeStep
        switch try await oauth.authorize.begin(asked, visit, now: call.now) {
        case .page(let refusal): throw VisitRefusal(refusal)
        case .step(let first): step = first
        }
        switch step {
        case .give: return answer(try await code(for: asked, visit, call), in: call.language(for: asked))
        case .refuse(let refusal):
            note(refusal, call)
            return answer(asked.refused(refusal, issuer: call.issuer), in: call.language(for: asked))
        case .logIn, .consent, .confirm: break
        }
        let name = try await oauth.authorize.keep(parameters, of: asked, from: call.place, at: call.now)
        let begun = Visit(secret: PageSecret(using: random), subject: .request(name), begunAt: call.now)
        guard case .logIn(let demand) = step else { return ask(begun, call, in: call.language(for: asked)) }
        return try await openLogin(begun, shown(asked, demand, call), call)
    }

    /// What the phone and the page show of a request.
    private func shown(_ asked: AuthorizationRequest, _ demand: FactorDemand, _ call: BrowserCall) -> ShownRequest {
        var shown = ShownRequest(
            asked.application, asked.wanted, asked.api, demand: demand, in: call.language(for: asked), headers: call.headers)
        shown.expectedName = asked.expectedName
        return shown
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
        var response = try await goOn(visit, try await arrival(visit, logins, call), call)
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

    private func goOn(_ visit: Visit, _ arrival: VisitArrival, _ call: BrowserCall) async throws -> Response {
        switch visit.subject {
        case .device(let hash):
            guard arrival.login == nil else { return ask(visit, call, in: call.language()) }
            return try await openLogin(visit, forDevice: hash, call)
        case .request(let name):
            let resumed = try await oauth.authorize.resume(name, at: call.server, now: call.now)
            switch resumed.outcome {
            case .page(let refusal): throw VisitRefusal(refusal)
            case .redirect(_, let response): return leave(visit, with: response, call.language())
            case .request(let asked): return try await goOn(asked, visit, arrival, since: resumed.keptAt, call)
            }
        }
    }

    private func goOn(
        _ asked: AuthorizationRequest, _ visit: Visit, _ arrival: VisitArrival, since keptAt: Instant, _ call: BrowserCall
    ) async throws -> Response {
        let at = arrival.visit(since: keptAt, now: call.now)
        switch try await oauth.authorize.next(for: asked, at, now: call.now) {
        case .give: return leave(visit, with: try await code(for: asked, at, call), call.language(for: asked))
        case .refuse(let refusal): return leave(visit, with: asked.refused(refusal, issuer: call.issuer), call.language(for: asked))
        case .consent, .confirm: return ask(visit, call, in: call.language(for: asked))
        case .logIn(let demand):
            // Whoever has just logged in for this is not the one that the client means, and would not be the next time.
            guard !arrival.isOwn else {
                return leave(visit, with: asked.refused(.loginRequired, issuer: call.issuer), call.language(for: asked))
            }
            return try await openLogin(visit, shown(asked, demand, call), call)
        }
    }

    /// GET /authorize/cancel: the person leaves the login page.
    func cancel(_ call: BrowserCall) async throws -> Response {
        guard let visit = visit(of: call) else { throw VisitRefusal.over }
        guard case .request(let name) = visit.subject else {
            return leave(visit, by: Self.redirect(to: call.address(ProviderPath.verification.rawValue)))
        }
        switch try await oauth.authorize.resume(name, at: call.server, now: call.now).outcome {
        case .page(let refusal): throw VisitRefusal(refusal)
        case .redirect(_, let response): return leave(visit, with: response, call.language())
        case .request(let asked): return leave(visit, with: asked.refused(.denied, issuer: call.issuer), call.language(for: asked))
        }
    }
}

/// Who is at the door of a visit.
struct VisitArrival: Sendable {
    let login: BrowserLogin?
    /// Whether they logged in for it, and not before.
    let isOwn: Bool

    /// A login for a request is one that began after it was kept. What a browser says of itself counts for nothing here, so that no old login is as good
    /// as a new one.
    func visit(since keptAt: Instant, now: Instant, consented: ScopeSet? = nil, isConfirmed: Bool = false) -> AuthorizeVisit {
        // One of before may be of this very second.
        let askedAt = isOwn ? max(keptAt, login?.startedAt ?? now) : now + 1
        return AuthorizeVisit(askedAt: askedAt, session: login?.session, consented: consented, isConfirmed: isConfirmed)
    }
}

/// What every step of a visit does.
extension AuthorizeRoutes {
    /// The visit that a request names by `?visit=`, of this browser.
    func visit(of call: BrowserCall) -> Visit? {
        call.query?["visit"].flatMap { PageID(received: $0) }.flatMap { cookies.visit($0, in: call.headers) }
    }

    func arrival(_ visit: Visit, _ logins: BrowserLogins, _ call: BrowserCall) async throws -> VisitArrival {
        if let own = try await logins.login(of: visit.secret, at: call.now) { return VisitArrival(login: own, isOwn: true) }
        return VisitArrival(login: try await logins.newest(at: call.now), isOwn: false)
    }

    /// A login page of ours, which sends the browser back to the visit.
    func openLogin(_ visit: Visit, _ shown: ShownRequest, _ call: BrowserCall) async throws -> Response {
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
    func ask(_ visit: Visit, _ call: BrowserCall, in language: PageLanguage) -> Response {
        var response = Self.redirect(to: call.address("/authorize/consent", of: visit) + "&lang=\(language.rawValue)")
        response.headers[values: .setCookie] = cookies.keeping(visit, in: call.headers)
        return response
    }

    /// The browser goes to its client, and the visit is over.
    private func leave(_ visit: Visit, with response: AuthorizeResponse, _ language: PageLanguage) -> Response {
        leave(visit, by: answer(response, in: language))
    }

    private func leave(_ visit: Visit, by answer: Response) -> Response {
        var response = answer
        response.headers[values: .setCookie] = [cookies.forgetting(visit)]
        return response
    }

    /// What the browser takes to its client: a code, or none where the request was spent in the meantime.
    func code(for asked: AuthorizationRequest, _ visit: AuthorizeVisit, _ call: BrowserCall) async throws -> AuthorizeResponse {
        do {
            return try await oauth.authorize.give(asked, visit, now: call.now)
        } catch is AuthorizeStepOpen {
            // The login ended since the question before, or something was changed.
            throw VisitRefusal.changed
        } catch is AuthorizationRequestChanged {
            throw VisitRefusal.changed
        }
    }
}
