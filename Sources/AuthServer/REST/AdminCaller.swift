import Authentication

/// Who calls the REST API, as the key of the request says.
struct AdminCaller: Equatable, Sendable {
    /// Names the key in the audit trail, and is no secret.
    let key: String
    let servers: Servers
    let rights: Rights

    /// The virtual servers that the key opens.
    enum Servers: Sendable {
        case all
    }

    /// What may be asked with it.
    enum Rights: Sendable {
        case all
    }

    /// There is one key, that of the settings.
    static let main = AdminCaller(key: "main", servers: .all, rights: .all)

    var actor: AuditActor { .api(key: key) }
}
