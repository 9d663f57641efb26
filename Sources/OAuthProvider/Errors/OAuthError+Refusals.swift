/// What the endpoints for clients answer by JSON that browsers are told by redirect elsewhere, and the refusals of endpoints of their own.
extension AuthorizeRefusal {
    /// What a client is told whose request was sent ahead (RFC 9126 §2.3).
    package var answer: OAuthError { OAuthError(code, description) }
}

extension BackchannelRefusal {
    /// - Parameter nonce: for a client that has to use one.
    package func answer(nonce: String?) -> OAuthError {
        if case .client(let refusal) = self { return refusal.answer(nonce: nonce) }
        return OAuthError(code, description)
    }
}
