import Authentication
import OstiaryProtocol

/// What has to happen before a client gets its code.
package enum AuthorizeStep: Equatable, Sendable {
    /// Somebody has to log in with the phone, this strongly.
    case logIn(FactorDemand)
    /// The person has to let the client do this, besides what they let it do before.
    case consent(ScopeSet)
    /// The person has to say that this is the app that they mean: any could listen at the address (RFC 8252 §8.6).
    case confirm
    /// Nothing more: a code for these scopes.
    case give(ScopeSet)
    case refuse(AuthorizeRefusal)
}

/// A browser that brought a request, and what its person said to it.
package struct AuthorizeVisit: Sendable {
    /// When the request came.
    package let askedAt: Instant
    /// The session of the browser; nil if it has none.
    package let session: SessionID?
    /// What its person let the client do just now, on the phone or on the page; nil if they were not asked yet.
    package let consented: ScopeSet?
    /// Whether they said that this is the app that they mean.
    package let isConfirmed: Bool

    package init(askedAt: Instant, session: SessionID?, consented: ScopeSet? = nil, isConfirmed: Bool = false) {
        self.askedAt = askedAt
        self.session = session
        self.consented = consented
        self.isConfirmed = isConfirmed
    }
}

/// What the store knows beside a visit when the question is asked what comes next.
struct AuthorizeSituation: Sendable {
    let visit: AuthorizeVisit
    /// Who is logged in by the session of the visit, and how.
    let login: (facts: Login, person: Person)?
    /// What their roles permit at the API.
    let permissions: ScopeSet
    /// What they let the client do before.
    let consent: Consent?
    let now: Instant
}

extension AuthorizationRequest {
    /// How strongly a person has to show themself for it. The server's policy holds besides.
    package var demand: FactorDemand {
        if prompts.contains(.login) { return .always }
        if let maxAge { return .fresh(maxAge) }
        return FactorDemand(for: strengths)
    }

    /// What comes next (OpenID Connect Core §3.1.2.3, §3.1.2.4). Asked again after each step.
    func next(in situation: AuthorizeSituation) -> AuthorizeStep {
        guard let (login, person) = situation.login, suits(login, person, situation) else {
            return prompts.contains(.none) ? .refuse(.loginRequired) : .logIn(demand)
        }
        guard login.isStrongEnough(for: strengths) else {
            // Whoever has just logged in for this request would not do it more strongly the second time.
            guard login.at < situation.visit.askedAt else { return .refuse(.requirementsUnmet) }
            return prompts.contains(.none) ? .refuse(.loginRequired) : .logIn(demand)
        }
        let permitted = ScopeRule(application: application, api: api).granted(of: scopes, permissions: situation.permissions)
        let granted = permitted.given(byOfflineCode: login.isOffline)
        guard !granted.isEmpty else { return .refuse(.nothingToGrant) }
        let missing = missingConsent(for: granted.union(claims.scopes), situation)
        guard missing.isEmpty else { return prompts.contains(.none) ? .refuse(.consentRequired) : .consent(missing) }
        guard !isForAnyProgram || situation.visit.isConfirmed else {
            return prompts.contains(.none) ? .refuse(.interactionRequired) : .confirm
        }
        return .give(granted)
    }

    /// Whether any program of the person's machine could take the answer. At `localhost` that is so where an app listens (RFC 8252 §8.3), and not where
    /// somebody works on a site, who runs whatever is there.
    private var isForAnyProgram: Bool {
        let kind = redirect.registered.kind
        return kind.isClaimable || kind == .localhost && application.kind == .native
    }

    /// Whether this login can be the one: of whom the client means, and as new as it wants.
    private func suits(_ login: Login, _ person: Person, _ situation: AuthorizeSituation) -> Bool {
        if let hinted, hinted != person.subject { return false }
        // `max_age=0` is `prompt=login` (§3.1.2.1): a login of this very second is no second old, and not for this request.
        if prompts.contains(.login) || prompts.contains(.selectAccount) || maxAge == 0 {
            guard login.at >= situation.visit.askedAt else { return false }
        }
        guard let maxAge else { return true }
        // Whoever asks for it is given a login that has proved a second factor, and no code that somebody may have been told (protocol §9).
        guard !login.isOffline else { return false }
        let proved = login.methods.isEmpty ? login.at : login.verifiedAt
        // A login for this request was new enough when it was made, however long its person then reads what they consent to.
        let moment = login.at >= situation.visit.askedAt ? login.at : situation.now
        return proved >= situation.visit.askedAt || moment.seconds(since: proved) <= UInt64(maxAge)
    }

    private func missingConsent(for granted: ScopeSet, _ situation: AuthorizeSituation) -> ScopeSet {
        let now = situation.visit.consented ?? []
        if prompts.contains(.consent) { return granted.subtracting(now) }
        guard ScopeRule(application: application, api: api).needsConsent else { return [] }
        // The person was asked for what was missing, not once more for what they gave before.
        return granted.subtracting(now).subtracting(situation.consent?.scopes ?? [])
    }
}
