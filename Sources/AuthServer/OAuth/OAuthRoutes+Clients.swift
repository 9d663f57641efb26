import Authentication
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryTokens

/// The endpoints at which clients show who they are.
extension OAuthRoutes {
    /// RFC 6749 §3.2.
    func token(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.token.answer($0, at: call.now).json) }
    }

    /// RFC 9126 §2.
    func push(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.push.push($0, from: call.place, at: call.now).json, status: .created) }
    }

    /// RFC 8628 §3.1.
    func authorizeDevice(_ call: OAuthCall) async throws -> Response {
        let verification = addresses.address(.verification, of: call.server)
        return try await answering(call) {
            .provider(try await domain.devices.begin($0, from: call.place, at: call.now).json(verification: verification))
        }
    }

    /// OpenID Connect CIBA §7.
    func askOnPhone(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { asking in
            let begun = try await domain.backchannel.begin(asking, at: call.now)
            // Where the program ends between the two, nobody is asked, and the client never learns by what name.
            let number = try await waiting.number(of: begun.session, at: call.server)
            if begun.rings { try await ring(begun, asking.parameters, call) }
            return .provider(begun.json(number))
        }
    }

    private func ring(_ begun: BackchannelService.Begun, _ parameters: OAuthProvider.Parameters, _ call: OAuthCall) async throws {
        guard case .backchannel(let account?) = begun.authorization.way else { return }
        // Nobody has said what language the person reads: the client may, as at the authorization endpoint.
        let asked = (parameters["ui_locales"] ?? "").split(separator: " ").lazy.compactMap { PageLanguage(tag: $0) }.first
        var shown = ShownRequest(
            begun.application, begun.authorization.scopes, begun.api, demand: begun.demand, in: asked ?? PageLanguage(of: call.request),
            headers: [:])
        shown.bindingMessage = begun.request.bindingMessage
        var request = shown.loginRequest(texts)
        request.account = account
        try await waiting.begin(begun.session, at: call.server, asking: request, openFor: begun.request.life, now: call.now)
    }

    /// RFC 7662 §2.
    func introspect(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.introspection.facts($0, at: call.now).json) }
    }

    /// RFC 7009 §2: the answer has no body.
    func revoke(_ call: OAuthCall) async throws -> Response {
        try await answering(call) {
            try await domain.revocation.revoke($0, at: call.now)
            return Response(status: .ok, headers: [.cacheControl: "no-store", .pragma: "no-cache"])
        }
    }
}
