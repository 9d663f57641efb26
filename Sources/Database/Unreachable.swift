/// An engine cannot be reached, and why: for whoever runs the server. Whoever asks it something hears ``SQLError/unavailable``, which says nothing of the reason.
package struct Unreachable: OperatorFault, Equatable {
    /// One line of bounded length, without a secret.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    package var trouble: String { "\(SQLError.unavailable.trouble) (\(reason))" }
    package var remedy: FaultRemedy? { SQLError.unavailable.remedy }
}

extension Database {
    /// What an operator is told in the place of an error: that the engine cannot be reached, with why, where that is known; everything else as it is. The one
    /// place where the reason comes to it.
    package func told(_ error: any Error) -> any Error {
        guard case SQLError.unavailable = error, let refusal else { return error }
        return Unreachable(reason: refusal)
    }

    /// Runs a check for an operator, or a command of one.
    /// - Throws: ``Unreachable`` instead of ``SQLError/unavailable`` where the reason is known; else what `check` throws.
    package func tellingWhy<Value>(_ check: () async throws -> Value) async throws -> Value {
        do { return try await check() } catch { throw told(error) }
    }
}
