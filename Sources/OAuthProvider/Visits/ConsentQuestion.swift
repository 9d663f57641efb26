import OstiaryProtocol

/// What a person is asked before a client gets anything.
package struct ConsentQuestion: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Whether the client may do this.
        case consent
        /// Whether this is the app that they mean.
        case confirm
        /// Whether a device may do this.
        case device
    }

    package let kind: Kind
    package let application: Application
    package let scopes: ScopeSet
    package let api: ProtectedAPI?
    /// In which they answer.
    package let login: VisitLogin

    /// - Parameter asked: by a client at the authorization endpoint; nil where it is not asked there.
    init?(_ matter: ConsentMatter, of asked: AuthorizationRequest, login: VisitLogin) {
        switch matter {
        case .consent(let missing): self.init(.consent, asked.application, missing, asked.api, login)
        case .confirm: self.init(.confirm, asked.application, [], asked.api, login)
        case .device: return nil
        }
    }

    init(_ waiting: PolledQuestion, login: VisitLogin) {
        self.init(
            .device, waiting.application, waiting.authorization.scopes.given(byOfflineCode: login.isOffline), waiting.api, login)
    }

    init(_ kind: Kind, _ application: Application, _ scopes: ScopeSet, _ api: ProtectedAPI?, _ login: VisitLogin) {
        self.kind = kind
        self.application = application
        self.scopes = scopes
        self.api = api
        self.login = login
    }

    /// What a yes lets the client have, besides what it may have already. That somebody means this app says nothing of what it may.
    var consented: ScopeSet? { kind == .confirm ? nil : scopes }
}
