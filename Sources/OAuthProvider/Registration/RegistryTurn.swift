import Authentication
import OstiaryProtocol
import OstiaryTokens

/// One document being written, in one transaction: each thing is checked against what is there by then.
struct RegistryTurn {
    let rows: any OAuthRows
    let server: ServerID
    let actor: AuditActor
    let now: Instant
    /// For applications that turn out to need one.
    let drawn: [ClientID: DrawnClientSecret]
    /// Whether it is undone, whatever comes of it: then what nothing else is asked of is not touched.
    let isTrial: Bool
    private(set) var outcome = RegistryOutcome(changes: [], secrets: [:])

    init(rows: any OAuthRows, server: ServerID, actor: AuditActor, now: Instant, drawn: [ClientID: DrawnClientSecret] = [:], isTrial: Bool = false) {
        self.rows = rows
        self.server = server
        self.actor = actor
        self.now = now
        self.drawn = drawn
        self.isTrial = isTrial
    }

    /// What refers comes after what it refers to.
    mutating func save(_ document: RegistryDocument) throws {
        for api in document.apis ?? [] { try save(api) }
        for role in document.roles ?? [] { try save(role) }
        for application in document.applications ?? [] { try save(application) }
        for user in document.users ?? [] { try save(user) }
    }

    /// Takes away what is there and not in the document, of the kinds that it has. What refers to it then is refused, if the document has it.
    /// Applications that registered themselves stay: no document is about them.
    mutating func prune(to document: RegistryDocument) throws {
        if let kept = document.apis.map({ Set($0.map(\.identifier)) }) {
            for api in try rows.apis(of: server, .all).elements where !kept.contains(api.identifier) { try remove(api) }
        }
        if let kept = document.roles.map({ Set($0.map(\.name)) }) {
            for role in try rows.roles(of: server, .all).elements where !kept.contains(role.name) { try remove(role) }
        }
        if let kept = document.applications.map({ Set($0.map(\.id)) }) {
            for application in try rows.applications(of: server, .all).elements
            where try !kept.contains(application.id) && !rows.isRegistered(application.id, of: server) { try remove(application) }
        }
        if let kept = document.users.map({ Set($0.map(\.userID)) }) {
            for user in try rows.users(of: server, .all).elements where !kept.contains(user.userID) { try remove(user) }
        }
    }

    /// - Throws: `UnknownRegistryItem`.
    mutating func remove(_ item: RegistryItem) throws {
        switch item {
        case .api(let identifier): if let api = try rows.api(identifier, of: server) { return try remove(api) }
        case .role(let name): if let role = try rows.role(name, of: server) { return try remove(role) }
        case .application(let id): if let application = try rows.application(id, of: server) { return try remove(application) }
        case .user(let userID): if let user = try rows.user(userID, of: server) { return try remove(user) }
        }
        throw UnknownRegistryItem(item)
    }
}

/// What is written.
extension RegistryTurn {
    private mutating func save(_ api: ProtectedAPI) throws {
        do { try APIRules.check(api) } catch { throw RegistryRefusal(.api(api.identifier), .api(error)) }
        let before = try rows.api(api.identifier, of: server)
        guard before != api else { return }
        try rows.save(api)
        try rows.endCodes(for: api.identifier, at: server, by: actor, now: now)
        try note(.api(before: before, after: api), .apiSaved)
    }

    private mutating func save(_ role: Role) throws {
        do {
            try RoleRules.check(role)
            switch try missing(role.permissions) {
            case .api(let api)?: throw RoleRefusal.apiUnknown(api)
            case .scope(let api, let scope)?: throw RoleRefusal.scopeUnknown(api, scope)
            case nil: break
            }
        } catch let refusal as RoleRefusal { throw RegistryRefusal(.role(role.name), .role(refusal)) }
        let before = try rows.role(role.name, of: server)
        guard before != role else { return }
        try rows.save(role)
        try note(.role(before: before, after: role), .roleSaved)
    }

    private mutating func save(_ wanted: Application) throws {
        let before = try rows.application(wanted.id, of: server)
        var application = wanted
        application.secrets = []
        var given: DrawnClientSecret?
        if wanted.authentication.needsSecret {
            application.secrets = before?.secrets ?? []
            if application.secrets.isEmpty, let secret = drawn[wanted.id] {
                application.secrets = [secret.stored]
                given = secret
            }
        }
        do {
            guard before != nil || wanted.id.needsNoEscape else { throw ApplicationRefusal.idWrong }
            guard before == nil || before?.kind == wanted.kind else { throw ApplicationRefusal.kindFixed }
            try ApplicationRules.check(application)
            switch try missing(application.apis) {
            case .api(let api)?: throw ApplicationRefusal.apiUnknown(api)
            case .scope(let api, let scope)?: throw ApplicationRefusal.scopeUnknown(api, scope)
            case nil: break
            }
            for api in application.serves.sorted(by: { $0.text < $1.text }) where try rows.api(api, of: server) == nil {
                throw ApplicationRefusal.apiUnknown(api)
            }
        } catch let refusal as ApplicationRefusal { throw RegistryRefusal(.application(wanted.id), .application(refusal)) }
        // What an operator writes is the operator's, whoever registered it.
        try rows.adopt(wanted.id, of: server)
        guard before != application else { return }
        try rows.save(application)
        try rows.endCodes(of: application.id, at: server, by: actor, now: now)
        if before?.mayAskOnPhones == true, !application.mayAskOnPhones { try rows.endQuestions(of: application.id, at: server, by: actor, now: now) }
        outcome.secrets[wanted.id] = given
        try note(.application(before: before, after: application), .applicationSaved)
    }

    private mutating func save(_ user: ProviderUser) throws {
        do {
            try UserRules.check(user)
            for role in user.roles.sorted() where try rows.role(role, of: server) == nil { throw UserRefusal.roleUnknown(role) }
        } catch let refusal as UserRefusal { throw RegistryRefusal(.user(user.userID), .user(refusal)) }
        let before = try rows.user(user.userID, of: server)
        guard before != user else { return }
        try rows.save(user)
        try note(.user(before: before, after: user), .userSaved)
    }

    private enum Missing {
        case api(APIIdentifier)
        case scope(APIIdentifier, Scope)
    }

    /// The first API, by its name, or scope that is referred to and is not there: mostly a slip of the pen, after which nobody could do what was meant.
    private func missing(_ scopes: [APIIdentifier: ScopeSet]) throws -> Missing? {
        for (identifier, wanted) in scopes.sorted(by: { $0.key.text < $1.key.text }) {
            guard let api = try rows.api(identifier, of: server) else { return .api(identifier) }
            if let scope = wanted.subtracting(api.allScopes).scopes.first { return .scope(identifier, scope) }
        }
        return nil
    }
}

/// What goes. What refers to it forgets it: a later one of the same name is not meant.
extension RegistryTurn {
    private mutating func remove(_ api: ProtectedAPI) throws {
        for application in try rows.applications(of: server, .all).elements {
            var rest = application
            rest.apis[api.identifier] = nil
            rest.serves.remove(api.identifier)
            guard rest != application else { continue }
            try rows.save(rest)
            try note(.application(before: application, after: rest), .applicationSaved)
        }
        for role in try rows.roles(of: server, .all).elements where role.permissions[api.identifier] != nil {
            var rest = role
            rest.permissions[api.identifier] = nil
            try rows.save(rest)
            try note(.role(before: role, after: rest), .roleSaved)
        }
        if var policy = try rows.registrationPolicy(of: server), policy.apis[api.identifier] != nil {
            policy.apis[api.identifier] = nil
            try rows.save(policy)
            try rows.record(AuditEntry(.registrationSaved, server: server, by: actor, at: now))
        }
        try rows.endCodes(for: api.identifier, at: server, by: actor, now: now)
        try rows.removeAPI(api.identifier, of: server, at: now)
        try note(.api(before: api, after: nil), .apiRemoved)
    }

    private mutating func remove(_ role: Role) throws {
        for user in try rows.users(of: server, having: role.name) {
            var rest = user
            rest.roles.remove(role.name)
            try rows.save(rest)
            try note(.user(before: user, after: rest), .userSaved)
        }
        try rows.removeRole(role.name, of: server)
        try note(.role(before: role, after: nil), .roleRemoved)
    }

    private mutating func remove(_ application: Application) throws {
        if !isTrial {
            // They hang on the accounts that are asked, and the application's rows do not have them.
            try rows.endQuestions(of: application.id, at: server, by: actor, now: now)
            try rows.endCodes(of: application.id, at: server, by: actor, now: now)
            try rows.removeApplication(application.id, of: server)
        }
        try note(.application(before: application, after: nil), .applicationRemoved)
    }

    private mutating func remove(_ user: ProviderUser) throws {
        try rows.removeUser(user.userID, of: server)
        try note(.user(before: user, after: nil), .userRemoved)
    }

    private mutating func note(_ change: RegistryChange, _ kind: AuditEntry.Kind) throws {
        outcome.changes.append(change)
        try rows.record(AuditEntry(kind, server: server, by: actor, at: now))
    }
}
