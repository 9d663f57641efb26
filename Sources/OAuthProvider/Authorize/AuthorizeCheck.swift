import OstiaryTokens

/// What the checks of an authorization request came to.
package enum AuthorizeOutcome: Sendable {
    case request(AuthorizationRequest)
    /// For the person, on a page: the browser is sent nowhere.
    case page(AuthorizeRefusal)
    /// For the client.
    case redirect(AuthorizeRefusal, AuthorizeResponse)

    package var refusal: AuthorizeRefusal? {
        switch self {
        case .request: nil
        case .page(let refusal), .redirect(let refusal, _): refusal
        }
    }
}

extension AuthorizeRules {
    /// Runs the table from its first line to the first refusal.
    /// - Parameter issuer: `iss` of an answer by redirect.
    package static func check(_ input: AuthorizeInput, issuer: String) -> AuthorizeOutcome {
        for (_, check) in addressee {
            do { try check(input) } catch { return .page(error) }
        }
        // The two were just found.
        guard let application = input.application, let redirect = redirect(of: input) else { return .page(.redirectNotRegistered) }
        let state = input.parameters.values("state")
        // A state that came twice, or is too long to be taken back, is no state.
        let returned = state.count == 1 && state[0].utf8.count <= mostState ? state[0] : nil
        // By a mode that is none of ours nothing can be told.
        let mode = ResponseMode(of: input.parameters, to: redirect) ?? .query
        do {
            return .request(try request(input, application, redirect, mode, state: returned))
        } catch {
            return .redirect(error, AuthorizeResponse(to: redirect, refusal: error, state: returned, issuer: issuer, by: mode))
        }
    }

    private static func request(
        _ input: AuthorizeInput, _ application: Application, _ redirect: Redirect, _ mode: ResponseMode, state: String?
    ) throws(AuthorizeRefusal) -> AuthorizationRequest {
        var asked = AskedFor()
        for (_, check) in request { try check(input, application, &asked) }
        guard let challenge = asked.challenge else { throw .challengeMissing }
        return AuthorizationRequest(
            server: input.server, application: application, api: input.api, redirect: redirect, mode: mode, state: state,
            nonce: asked.nonce, challenge: challenge, boundKey: asked.boundKey, scopes: asked.scopes, prompts: asked.prompts, maxAge: asked.maxAge,
            strengths: asked.strengths, claims: asked.claims, loginHint: input.parameters["login_hint"], hinted: asked.hinted,
            uiLocales: (input.parameters["ui_locales"] ?? "").split(separator: " ").map(String.init), pushedHash: input.pushed?.hash)
    }
}
