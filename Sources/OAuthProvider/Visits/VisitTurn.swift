import Authentication

/// What a browser does next.
package struct VisitTurn: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// To a login page, which shows this.
        case logIn(OfferedLogin)
        /// To the page of ours on which its person is asked.
        case ask
        /// To its client with this, and the visit is over. Where it is an error: which, for whoever set the client up.
        case leave(AuthorizeResponse, AuthorizeRefusal?)
        /// To the page on which codes of devices are typed, and the visit is over.
        case typeCode
    }

    package let step: Step
    /// Languages that the client asks for, the best first.
    package let uiLocales: [String]

    init(_ step: Step, uiLocales: [String] = []) {
        self.step = step
        self.uiLocales = uiLocales
    }
}

/// What a login page and a phone show of a login for a client.
package struct OfferedLogin: Equatable, Sendable {
    package let application: Application
    package let scopes: ScopeSet
    package let api: ProtectedAPI?
    package let demand: FactorDemand
    /// Whom the client expects; nil for nobody in particular.
    package let expectedName: String?

    init(_ asked: AuthorizationRequest, _ demand: FactorDemand) {
        self.init(asked.application, asked.wanted, asked.api, demand, expectedName: asked.expectedName)
    }

    init(_ waiting: PolledQuestion, _ demand: FactorDemand) {
        self.init(waiting.application, waiting.authorization.scopes, waiting.api, demand, expectedName: nil)
    }

    private init(_ application: Application, _ scopes: ScopeSet, _ api: ProtectedAPI?, _ demand: FactorDemand, expectedName: String?) {
        self.application = application
        self.scopes = scopes
        self.api = api
        self.demand = demand
        self.expectedName = expectedName
    }
}

/// Where a visit is that has just begun.
package struct BegunVisit: Equatable, Sendable {
    /// What waits from now on, for the cookie of the browser; nil where nothing does.
    package let subject: VisitSubject?
    package let turn: VisitTurn

    init(_ subject: VisitSubject?, _ turn: VisitTurn) {
        self.subject = subject
        self.turn = turn
    }
}

/// Why a visit goes no further, and leads to no client.
package enum VisitEnd: Error, Equatable, Sendable {
    /// There is no such visit, or not any more.
    case over
    /// The person was shown something else than is asked now.
    case changed
    /// What is wrong with the request, as its person is told on a page.
    case told(AuthorizeRefusal)

    /// A request that was kept, and is no more, is a visit that is over: its person did nothing wrong, and whoever made the client neither.
    init(_ refusal: AuthorizeRefusal) {
        switch refusal {
        case .requestURISpent, .requestURIExpired, .requestURIUnknown: self = .over
        default: self = .told(refusal)
        }
    }
}
