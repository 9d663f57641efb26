/// What is granted: of what was asked for, what the API has, the client may ask and the person may do.
///
/// Each step only takes away. A scope that nobody knows is left out, as OpenID Connect Core §3.1.2.1 says, and the answer tells what is left.
package struct ScopeRule: Sendable {
    package let application: Application
    /// Nil for a token that is good at userinfo only.
    package let api: ProtectedAPI?

    package init(application: Application, api: ProtectedAPI?) {
        self.application = application
        self.api = api
    }

    /// What the client may be given of it, whoever the person is.
    package func allowed(of asked: ScopeSet) -> ScopeSet {
        var known = Scope.identity
        if !offlineIsAllowed { known = known.subtracting([.offlineAccess]) }
        if application.kind == .machine { known = [] }
        return asked.intersection(known.union(ofAPI))
    }

    /// What is left of it for a person with these permissions at the API.
    package func granted(of allowed: ScopeSet, permissions: ScopeSet) -> ScopeSet {
        guard let api, api.checksPermissions else { return allowed }
        return allowed.intersection(Scope.identity.union(permissions))
    }

    /// Whether a person has to let the client have it. An operator decides alone for the operator's own applications, unless the API says otherwise.
    package var needsConsent: Bool { !application.isFirstParty || api.map { !$0.firstPartySkipsConsent } ?? false }

    private var ofAPI: ScopeSet {
        guard let api, let mayAsk = application.apis[api.identifier] else { return [] }
        return api.allScopes.intersection(mayAsk)
    }

    /// S3-37: by the switch of the API. Without one, for the identity alone, the client's own grant types decide.
    private var offlineIsAllowed: Bool {
        application.grantTypes.contains(.refreshToken) && api?.allowsOfflineAccess ?? true
    }
}
