import Authentication
import OstiaryProtocol
import OstiaryTokens

/// Looks what phones have decided for the clients that are told by ping, and ask only then. A client that polls looks for itself.
package struct PushedDecisions: Sendable {
    /// Authorizations in one run.
    static let batch = 100

    let context: ProviderContext

    /// Writes down what was decided, and answers how many were looked at.
    /// - Throws: the first fault, after all others were looked at.
    @discardableResult
    package func run(at now: Instant) async throws -> Int {
        var fault: (any Error)?
        let decided = try await context.store.read { rows in try rows.decidedOnPhones(at: now, limit: Self.batch) }
        for waiting in decided {
            let id = GrantID(using: context.random)
            do {
                try await context.store.write { rows in
                    guard let current = try rows.polled(hash: waiting.hash, of: waiting.server) else { return }
                    _ = try rows.following(current, granting: id, at: now)
                }
            } catch { fault = fault ?? error }
        }
        if let fault { throw fault }
        return decided.count
    }
}
