extension AuthorizeRefusal {
    /// What a client is told whose request was sent ahead, where others are told by redirect (RFC 9126 §2.3).
    package var answer: OAuthError { OAuthError(code, description) }
}
