import OAuthProvider
import OstiaryProtocol

/// What becomes of one call at the token endpoint between a client and the rows.
enum CallFate: Sendable {
    case fine
    /// It never arrives.
    case requestLost
    /// It is decided, and nothing of that is kept.
    case commitLost
    /// What was decided is kept, and the server itself doesn't hear so.
    case commitUnheard
    /// The same, and the server looks again, when others may have come in between.
    case commitLookedAt
    /// It is kept, and the client hears nothing.
    case answerLost

    /// Whether what it decided stays.
    var isKept: Bool { self != .requestLost && self != .commitLost }
}

/// A rule that would be wrong, for tests that have to see it.
enum WrongRefreshRule: Sendable, CaseIterable {
    /// Each use keeps the family as it was before.
    case keepsTheFormerFamily
    /// The predecessor is over as soon as there is a successor.
    case predecessorDiesAtOnce
}

/// A store whose commits have the fate of a call. Others come before and after each of them.
struct LossyOAuthStore: OAuthStore {
    struct Lost: Error {}

    let store: any OAuthStore
    let fate: CallFate
    /// Whose family a wrong rule is to spoil.
    let grant: GrantID?
    let wrongRule: WrongRefreshRule?

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        await Task.yield()
        switch fate {
        case .fine, .requestLost, .answerLost: return try await run(body, former: nil)
        case .commitLost:
            return try await store.write { (rows: any OAuthRows, _: Value?) throws -> Value in
                _ = try body(rows, nil)
                throw Lost()
            }
        case .commitUnheard:
            _ = try await run(body, former: nil)
            throw Lost()
        case .commitLookedAt:
            let first = try await run(body, former: nil)
            await Task.yield()
            return try await run(body, former: first)
        }
    }

    private func run<Value: Sendable>(
        _ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value, former: Value?
    ) async throws -> Value {
        try await store.write { (rows: any OAuthRows, _: Value?) throws -> Value in
            let before = try grant.flatMap { try rows.family(of: $0) }
            let value = try body(rows, former)
            if let before, let after = try rows.family(of: before.grant) { try spoil(after, before: before, in: rows) }
            return value
        }
    }

    private func spoil(_ after: RefreshFamily, before: RefreshFamily, in rows: any OAuthRows) throws {
        switch wrongRule {
        case nil: return
        case .keepsTheFormerFamily: try rows.save(before)
        case .predecessorDiesAtOnce:
            try rows.save(
                RefreshFamily(
                    grant: after.grant, server: after.server, client: after.client, binding: after.binding, life: after.life,
                    createdAt: after.createdAt, generation: after.generation, renewedAt: Instant(0), usedAt: after.usedAt))
        }
    }
}
