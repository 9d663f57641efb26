import Authentication
import OstiaryProtocol
import OstiaryTokens

/// What an operator asks about applications, APIs, roles and users of a virtual server, and writes of them.
package struct RegistryService: Sendable {
    /// Seconds for which a secret can go on beside the one that takes its place.
    package static let longestOverlap: UInt64 = 2_592_000
    /// How many secrets one application has at most, with the newest: each is tried at each call.
    private static let mostSecrets = 4
    /// The most grants and consents that one transaction takes away, so that nobody waits long for the next.
    static let batch = 200

    let store: any OAuthStore
    let random: any RandomSource

    package init(store: any OAuthStore, random: any RandomSource) {
        self.store = store
        self.random = random
    }

    package func applications(of server: ServerID, _ part: ListPart) async throws -> Listed<Application> {
        try await store.read { rows in try rows.applications(of: server, part) }
    }

    package func apis(of server: ServerID, _ part: ListPart) async throws -> Listed<ProtectedAPI> {
        try await store.read { rows in try rows.apis(of: server, part) }
    }

    package func roles(of server: ServerID, _ part: ListPart) async throws -> Listed<Role> {
        try await store.read { rows in try rows.roles(of: server, part) }
    }

    package func users(of server: ServerID, _ part: ListPart) async throws -> Listed<ProviderUser> {
        try await store.read { rows in try rows.users(of: server, part) }
    }

    /// - Throws: `UnknownRegistryItem`, as the next three.
    package func application(_ id: ClientID, of server: ServerID) async throws -> Application {
        try await known(.application(id)) { rows in try rows.application(id, of: server) }
    }

    package func api(_ identifier: APIIdentifier, of server: ServerID) async throws -> ProtectedAPI {
        try await known(.api(identifier)) { rows in try rows.api(identifier, of: server) }
    }

    package func role(_ name: String, of server: ServerID) async throws -> Role {
        try await known(.role(name)) { rows in try rows.role(name, of: server) }
    }

    package func user(_ userID: String, of server: ServerID) async throws -> ProviderUser {
        try await known(.user(userID)) { rows in try rows.user(userID, of: server) }
    }

    private func known<Value: Sendable>(
        _ item: RegistryItem, _ find: @Sendable @escaping (any OAuthRows) throws -> Value?
    ) async throws -> Value {
        guard let value = try await store.read(find) else { throw UnknownRegistryItem(item) }
        return value
    }
}

/// Writing.
extension RegistryService {
    /// Ends a trial, and with it its transaction.
    private struct Tried: Error {
        let outcome: RegistryOutcome
    }

    /// Makes what is there as the document says, all of it or nothing. What is so already is left alone, so that saying it again changes nothing.
    /// - Parameters:
    ///   - prunes: whether what the document leaves out goes, of the kinds that it has.
    ///   - isTrial: whether only to say what would change; then no secret is told.
    /// - Throws: `RegistryRefusal`; then nothing is changed.
    package func apply(
        _ document: RegistryDocument, prunes: Bool = false, isTrial: Bool = false, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> RegistryOutcome {
        if prunes, !isTrial {
            // Only when nothing of it is refused, what was given to those that go.
            let trial = try await write(document, prunes: true, isTrial: true, at: server, by: actor, now: now)
            for case .application(before: let before?, after: nil) in trial.changes { try await removeGiven(to: before.id, at: server) }
        }
        return try await write(document, prunes: prunes, isTrial: isTrial, at: server, by: actor, now: now)
    }

    private func write(
        _ document: RegistryDocument, prunes: Bool, isTrial: Bool, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> RegistryOutcome {
        let needy = (document.applications ?? []).filter(\.authentication.needsSecret).map(\.id)
        let drawn = Dictionary(needy.map { ($0, DrawnClientSecret(using: random)) }) { first, _ in first }
        do {
            return try await store.write { rows, former in
                var turn = RegistryTurn(rows: rows, server: server, actor: actor, now: now, drawn: drawn, isTrial: isTrial)
                if prunes { try turn.prune(to: document) }
                try turn.save(document)
                if isTrial { throw Tried(outcome: RegistryOutcome(changes: turn.outcome.changes, secrets: [:])) }
                // All is as it was to be: the first look did it, and its secrets are told if they are the ones that are there.
                guard var former, turn.outcome.changes.isEmpty else { return turn.outcome }
                former.secrets = try former.secrets.filter { client, secret in
                    try rows.application(client, of: server)?.secrets.contains(secret.stored) ?? false
                }
                return former
            }
        } catch let tried as Tried {
            return tried.outcome
        }
    }

    /// Takes something away, with what hangs on it. Of an application first, many transactions long, what was given to it, and last itself: one that is
    /// interrupted is still there, and can be taken away again.
    /// - Throws: `UnknownRegistryItem`.
    package func remove(_ item: RegistryItem, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        if case .application(let id) = item {
            _ = try await application(id, of: server)
            try await removeGiven(to: id, at: server)
        }
        try await store.write { rows, former -> Bool in
            var turn = RegistryTurn(rows: rows, server: server, actor: actor, now: now)
            do { try turn.remove(item) } catch let unknown as UnknownRegistryItem {
                // Taken away by the first look.
                guard former == true else { throw unknown }
            }
            return true
        }
    }

    /// In batches, between which others have their turn. What it is given meanwhile goes with itself.
    private func removeGiven(to client: ClientID, at server: ServerID) async throws {
        while try await store.write({ rows, former in
            // As many as either look: after a full one there may be more.
            max(former ?? 0, try rows.removeGiven(to: client, of: server, limit: Self.batch))
        }) >= Self.batch {}
    }

    /// Gives an application another secret. The former ones are good for `overlap` seconds more, so that all parts of the client can be told; with none
    /// they are over at once.
    /// - Throws: `UnknownRegistryItem`, `NoSecretWanted`.
    package func rotateSecret(
        of id: ClientID, at server: ServerID, overlap: UInt64 = 0, by actor: AuditActor, now: Instant
    ) async throws -> DrawnClientSecret {
        let drawn = DrawnClientSecret(using: random)
        return try await store.write { rows in
            guard var application = try rows.application(id, of: server) else { throw UnknownRegistryItem(.application(id)) }
            guard application.authentication.needsSecret else { throw NoSecretWanted() }
            // Given by the first look.
            guard !application.secrets.contains(drawn.stored) else { return drawn }
            let end = now + min(overlap, Self.longestOverlap)
            let kept = application.secrets.map { ClientSecret(hash: $0.hash, expiresAt: $0.expiresAt.map { min($0, end) } ?? end) }
                .filter { $0.expiresAt.map { now < $0 } ?? true }
            application.secrets = [drawn.stored] + kept.prefix(Self.mostSecrets - 1)
            try rows.save(application)
            try rows.record(AuditEntry(.clientSecretRotated, server: server, by: actor, at: now))
            return drawn
        }
    }
}

extension ClientAuthenticationMethod {
    /// Whether the client shows a text that both sides know.
    package var needsSecret: Bool {
        switch self {
        case .basic, .post: true
        case .none, .privateKeyJWT: false
        }
    }
}
