import OstiaryProtocol

/// Who asks for a login, what the phone shows of it, who may answer, and how strongly.
package struct LoginRequest: Equatable, Sendable {
    /// The OAuth client that asks; nil for the virtual server itself, which has the name that it has when a phone looks.
    package var client: RelyingParty?
    package var shown: ShownContext
    /// For the backend itself.
    package var notes: SessionNotes
    /// The one account that may answer: the server selected it, or an AppLogin is for it. Nil for any.
    package var account: AccountID?
    package var demand: FactorDemand

    package init(
        client: RelyingParty? = nil, shown: ShownContext = .none, notes: SessionNotes = .none, account: AccountID? = nil,
        demand: FactorDemand = .policy
    ) {
        self.client = client
        self.shown = shown
        self.notes = notes
        self.account = account
        self.demand = demand
    }

    /// Whom an L2 names as the one that asks.
    func relyingParty(at server: ServerParameters) -> RelyingParty {
        client ?? RelyingParty(name: server.name, origin: server.siteURL, clientID: "")
    }
}

/// What one call says of a login; what is nil stays as it was said before.
package struct LoginRequestUpdate: Equatable, Sendable {
    package var shown: ShownContext?
    package var notes: SessionNotes?
    package var account: AccountID?
    package var demand: FactorDemand?

    package init(shown: ShownContext? = nil, notes: SessionNotes? = nil, account: AccountID? = nil, demand: FactorDemand? = nil) {
        self.shown = shown
        self.notes = notes
        self.account = account
        self.demand = demand
    }

    package func applied(to request: LoginRequest) -> LoginRequest {
        LoginRequest(
            client: request.client, shown: shown ?? request.shown, notes: notes ?? request.notes, account: account ?? request.account,
            demand: demand ?? request.demand)
    }
}
