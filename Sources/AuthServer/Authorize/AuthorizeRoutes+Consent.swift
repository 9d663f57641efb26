import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// What a person is asked by our own page, and what they say.
extension AuthorizeRoutes {
    /// GET /authorize/state: what there is to decide; the address at which it goes on where there is nothing.
    func state(_ call: BrowserCall) async throws -> Response {
        guard let visit = visit(of: call) else { throw VisitRefusal.over }
        guard let asked = try await question(of: visit, call)?.question else {
            return .object { $0.member("location", call.address("/authorize/continue", of: visit)) }
        }
        let server = try await domain.servers.virtualServer(call.server).parameters
        let words = texts.words(for: asked.scopes, at: asked.api, in: call.language())
        return .object { writer in
            writer.member("state", asked.kind.rawValue)
            writer.member("server", server.name)
            writer.member("logo", server.logo.map { "/ap1/logo/\(Base64URL.encode($0.hash))" })
            writer.member("color", server.color?.text)
            writer.member("colordark", server.colorDark?.text)
            writer.member("client", asked.application.name)
            writer.member("site", asked.application.siteURL.isEmpty ? nil : asked.application.siteURL)
            writer.name("scopes")
            writer.array(words) { $0.string($1) }
            writer.member("mark", Base64URL.encode(visit.mark(of: asked)))
        }
    }

    /// POST /authorize/decision: yes or no to what was shown, which the mark says.
    func decide(_ call: BrowserCall) async throws -> Response {
        try pages.checkPost(call.headers)
        guard let visit = visit(of: call) else { throw VisitRefusal.over }
        let body = try JSONBody.decode(DecisionBody.self, from: try await call.request.bytes(limit: Self.bodyLimit))
        guard let asked = try await question(of: visit, call), body.mark.utf8.count <= 64, let mark = Base64URL.decode(body.mark),
            matches(mark, visit.mark(of: asked.question))
        else { throw VisitRefusal.changed }
        var response = try await decided(asked, allows: body.allow, visit, call)
        response.headers[values: .setCookie] = [cookies.forgetting(visit)]
        return response
    }

    private func decided(_ asked: OpenQuestion, allows: Bool, _ visit: Visit, _ call: BrowserCall) async throws -> Response {
        switch asked.matter {
        case .device(let waiting):
            guard try await decided(waiting, asked.question, allows: allows, call) else { throw VisitRefusal.over }
            return .object { $0.member("state", allows ? "allowed" : "refused") }
        case .request(let request, let keptAt):
            guard allows else { return Self.telling(request.refused(.denied, issuer: call.issuer)) }
            let given = asked.arrival.visit(
                since: keptAt, now: call.now, consented: asked.question.kind == .consent ? asked.question.scopes : nil, isConfirmed: true)
            return Self.telling(try await code(for: request, given, call))
        }
    }

    /// False where it was decided before, or is over.
    private func decided(_ waiting: PolledQuestion, _ question: ConsentQuestion, allows: Bool, _ call: BrowserCall) async throws -> Bool {
        let hash = waiting.authorization.hash
        guard allows else { return try await oauth.approval.deny(hash, at: call.server, account: question.login.account, now: call.now) != nil }
        do {
            return try await oauth.approval.approve(
                hash, at: call.server, scopes: question.scopes, session: question.login.session, shown: waiting, now: call.now) != nil
        } catch is AuthorizeRefusal {
            // The login ended since the question before.
            throw VisitRefusal.changed
        } catch is AuthorizationRequestChanged {
            throw VisitRefusal.changed
        }
    }

    /// Nil where nothing is to be decided at the moment: nobody is logged in, or nobody need be asked.
    private func question(of visit: Visit, _ call: BrowserCall) async throws -> OpenQuestion? {
        let arrival = try await arrival(visit, logins(of: call), call)
        guard let login = arrival.login else { return nil }
        switch visit.subject {
        case .device(let hash):
            guard let waiting = try await oauth.approval.question(hash, at: call.server, now: call.now) else { throw VisitRefusal.over }
            let question = ConsentQuestion(
                kind: .device, application: waiting.application, scopes: waiting.authorization.scopes, api: waiting.api, login: login)
            return OpenQuestion(question: question, matter: .device(waiting), arrival: arrival)
        case .request(let name):
            let resumed = try await oauth.authorize.resume(name, at: call.server, now: call.now)
            guard case .request(let request) = resumed.outcome else { return nil }
            let kind: ConsentQuestion.Kind
            let scopes: ScopeSet
            switch try await oauth.authorize.next(for: request, arrival.visit(since: resumed.keptAt, now: call.now), now: call.now) {
            case .consent(let missing): (kind, scopes) = (.consent, missing)
            case .confirm: (kind, scopes) = (.confirm, [])
            case .logIn, .give, .refuse: return nil
            }
            let question = ConsentQuestion(kind: kind, application: request.application, scopes: scopes, api: request.api, login: login)
            return OpenQuestion(question: question, matter: .request(request, keptAt: resumed.keptAt), arrival: arrival)
        }
    }
}

/// A question, and what its answer decides.
private struct OpenQuestion: Sendable {
    enum Matter: Sendable {
        case request(AuthorizationRequest, keptAt: Instant)
        case device(PolledQuestion)
    }

    let question: ConsentQuestion
    let matter: Matter
    let arrival: VisitArrival
}

private struct DecisionBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case mark, allow }

    let mark: String
    let allow: Bool
}
