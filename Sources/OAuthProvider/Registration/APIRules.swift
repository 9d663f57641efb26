import OstiaryProtocol

/// Why an API may not be written as it is.
package enum APIRefusal: Error, Equatable, Sendable {
    case nameWrong
    case lifeWrong, sessionLifeWrong
    case tooManyScopes
    case scopeTwice(Scope)
    /// The provider has it for the identity of people.
    case scopeReserved(Scope)
    case wordsWrong(Scope)
    case tooManyClaims
}

/// What an operator may write of an API.
package enum APIRules {
    /// Seconds for which an access token is good at least: below that a client does nothing but ask.
    static let shortestLife: UInt64 = 30
    static let longestWords = 120
    static let mostClaims = 16

    package static func check(_ api: ProtectedAPI) throws(APIRefusal) {
        guard PlainLine.allowsName(api.name, cap: ApplicationRules.longestName) else { throw .nameWrong }
        let lives = shortestLife...ProtectedAPI.longestLife
        guard lives.contains(api.life) else { throw .lifeWrong }
        guard lives.contains(api.sessionLife) else { throw .sessionLifeWrong }
        guard api.scopes.count <= ScopeSet.most else { throw .tooManyScopes }
        guard api.addedClaims.count <= mostClaims else { throw .tooManyClaims }
        var seen: Set<Scope> = []
        for each in api.scopes {
            guard !Scope.identity.contains(each.scope) else { throw .scopeReserved(each.scope) }
            guard seen.insert(each.scope).inserted else { throw .scopeTwice(each.scope) }
            // Shown on the phone beside the name of who asks.
            guard PlainLine.allowsName(each.words, cap: longestWords) else { throw .wordsWrong(each.scope) }
        }
    }
}
