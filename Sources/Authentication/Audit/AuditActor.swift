/// Who did what an entry of the audit trail tells, as far as this server can know it.
package enum AuditActor: Hashable, Sendable {
    /// A caller of the REST API, by the name of its key.
    case api(key: String)
    /// The app that has the device key, which signed for it.
    case phone
    /// A login or enrol page: whoever has its cookie.
    case page
    /// Whoever starts the program, by its settings.
    case `operator`
    /// The second-factor server, by what it answered.
    case secondFactor
    /// A client of the provider, which registered itself.
    case client
    /// This server itself: because a time was over, or by a rule of its own.
    case server
    /// Written down before there were actors.
    case unknown
}

/// As the audit trail spells it.
extension AuditActor {
    /// Nil for what nobody knows.
    package var word: String? {
        switch self {
        case .api(let key): Self.api + key
        case .phone: "phone"
        case .page: "page"
        case .operator: "operator"
        case .secondFactor: "second-factor"
        case .client: "client"
        case .server: "server"
        case .unknown: nil
        }
    }

    /// Nil for a word that this program does not write.
    package init?(word: String?) {
        guard let word else {
            self = .unknown
            return
        }
        if word.hasPrefix(Self.api) {
            self = .api(key: String(word.dropFirst(Self.api.count)))
            return
        }
        guard let actor = [AuditActor.phone, .page, .operator, .secondFactor, .client, .server].first(where: { $0.word == word }) else { return nil }
        self = actor
    }

    private static let api = "api:"
}
