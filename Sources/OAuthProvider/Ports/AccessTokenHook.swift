import OstiaryTokens

/// What an operator's own rules add to access tokens: to one that says something by itself when it is signed, to an opaque one when its API asks about
/// it. It is asked outside every transaction.
package protocol AccessTokenHook: Sendable {
    /// Claims that are added; names that mean something in a token already are dropped.
    func claims(for token: AccessTokenClaims) async throws -> JSONObject
}

package struct NoAccessTokenHook: AccessTokenHook {
    package init() {}
    package func claims(for token: AccessTokenClaims) async throws -> JSONObject { JSONObject() }
}
