/// An engine cannot be reached, and why: for whoever runs the server. Whoever asks it something hears ``SQLError/unavailable``, which says nothing of the reason.
package struct Unreachable: Error, Equatable, CustomStringConvertible {
    /// One line of bounded length, without a secret.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    /// One line for readiness and log.
    package var description: String { "the database cannot be reached (\(reason)): a server that runs goes on by itself when it can" }
}

extension Database {
    /// Runs a check for an operator, who is told why the engine cannot be reached where that is known.
    /// - Throws: ``Unreachable`` instead of ``SQLError/unavailable``; else what `check` throws.
    package func tellingWhy<Value>(_ check: () async throws -> Value) async throws -> Value {
        do { return try await check() } catch SQLError.unavailable {
            throw refusal.map(Unreachable.init) ?? SQLError.unavailable
        }
    }
}
