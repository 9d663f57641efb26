import OstiaryTokens

/// Who asks, and where the answer goes: whatever fails here is never told by redirect.
extension AuthorizeRules {
    static func checkClient(_ input: AuthorizeInput) throws(AuthorizeRefusal) {
        guard input.parameters.values("client_id").count == 1 else { throw .clientMissing }
        guard let application = input.application else { throw .clientUnknown }
        guard application.isEnabled else { throw .clientDisabled }
    }

    /// A request that was sent ahead, or is kept for a visit, is its client's, and goes until that has its answer. A page may be loaded again
    /// meanwhile.
    static func checkPushedRequest(_ input: AuthorizeInput) throws(AuthorizeRefusal) {
        guard let pushed = input.pushed else { return }
        guard pushed.client == input.application?.id else { throw .requestURIOfAnother }
        guard !pushed.isOver else { throw .requestURISpent }
    }

    static func checkRedirectURI(_ input: AuthorizeInput) throws(AuthorizeRefusal) {
        guard redirect(of: input) != nil else {
            throw input.parameters.values("redirect_uri").isEmpty ? .redirectMissing : .redirectNotRegistered
        }
    }

    /// The one that the request names and the client registered; without a name the only one that there is, unless the client sends its requests ahead:
    /// then it names it (FAPI 2.0 §5.3.2.2).
    static func redirect(of input: AuthorizeInput) -> Redirect? {
        guard let application = input.application else { return nil }
        let presented = input.parameters.values("redirect_uri")
        guard let first = presented.first else {
            guard let only = application.redirectURIs.first, application.redirectURIs.count == 1, only.kind != .unusable,
                !application.requiresPushedRequests
            else { return nil }
            return Redirect(registered: only, presented: nil)
        }
        guard presented.count == 1 else { return nil }
        return application.redirectURI(matching: first).map { Redirect(registered: $0, presented: first) }
    }
}
