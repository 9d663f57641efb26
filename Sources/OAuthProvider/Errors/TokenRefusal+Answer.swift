extension TokenRefusal {
    /// What the client is told (RFC 6749 §5.2). A 401 names the way that the client tried, or Basic.
    /// - Parameter nonce: for a client that has to use one.
    package func answer(nonce: String?) -> OAuthError {
        OAuthError(code, description, challenge: code == .invalidClient ? #"Basic realm="token""# : nil, nonce: code == .useDPoPNonce ? nonce : nil)
    }

    /// Whether an operator should hear of it: something that only one may have was used by two.
    package var isAlarm: Bool {
        switch self {
        case .codeSpent, .refreshReused, .polledSpent: true
        case .parameterRepeated, .parameterMissing, .parameterWrong, .grantTypeUnknown, .client, .grantTypeNotAllowed, .publicClient, .proof,
            .codeUnknown, .codeExpired, .codeOfAnother, .redirectChanged, .verifier, .verifierWrong, .refreshUnknown, .refreshOfAnother,
            .refreshExpired, .grantOver, .scope, .scopeNotGranted, .nothingGranted, .consentMissing, .targetUnknown, .polledUnknown,
            .polledOfAnother, .pending, .slowDown, .polledExpired, .denied, .subjectTokenTypeWrong, .subjectTokenUnknown, .requestedTypeWrong,
            .actorNotSupported:
            false
        }
    }
}
