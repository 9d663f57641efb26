/// What a scope lets a client do, as a person reads it.
package enum ScopeMeaning: Hashable, Sendable {
    /// One of the provider's own, for which each page has words in its language.
    case identity(Scope)
    /// In the words of whoever made the API.
    case words(String)
}

extension ScopeSet {
    /// In the order of the scopes. A scope that its API has lost meanwhile stands for itself.
    package func meanings(at api: ProtectedAPI?) -> [ScopeMeaning] {
        scopes.map { scope in
            if Scope.identity.contains(scope) { return .identity(scope) }
            return .words(api?.scopes.first { $0.scope == scope }?.words ?? scope.text)
        }
    }
}
