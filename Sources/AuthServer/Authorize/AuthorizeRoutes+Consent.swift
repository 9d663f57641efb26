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
        let arrival = try await logins(of: call).arrival(of: visit, at: call.now)
        guard let asked = try await oauth.visits.question(of: visit.subject, arrival, at: call.server, now: call.now) else {
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
            writer.member("mark", ConsentMark(of: asked, under: visit.consentKey).text)
        }
    }

    /// POST /authorize/decision: yes or no to what was shown, which the mark says.
    func decide(_ call: BrowserCall) async throws -> Response {
        try pages.checkPost(call.headers)
        guard let visit = visit(of: call) else { throw VisitRefusal.over }
        let body = try JSONBody.decode(DecisionBody.self, from: try await call.request.bytes(limit: Self.bodyLimit))
        let arrival = try await logins(of: call).arrival(of: visit, at: call.now)
        let outcome = try await oauth.visits.decide(
            visit.subject, arrival, ConsentAnswer(mark: body.mark, allows: body.allow), under: visit.consentKey, at: call.server, now: call.now)
        var response =
            switch outcome {
            case .client(let answer): Self.telling(answer)
            case .device(let isAllowed): Response.object { $0.member("state", isAllowed ? "allowed" : "refused") }
            }
        response.headers[values: .setCookie] = [cookies.forgetting(visit)]
        return response
    }
}

private struct DecisionBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case mark, allow }

    let mark: String
    let allow: Bool
}
