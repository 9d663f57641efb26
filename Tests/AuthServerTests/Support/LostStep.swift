import Database

@testable import AuthServer

extension Database {
    /// Leaves it as a failover does that has lost the commit of the step that waits.
    func loseWaitingStep() async throws {
        try await transaction { connection -> Void in
            try connection.execute("DELETE FROM schema_version WHERE number = $1", [SQLValue(AuthenticationSchema.shortReceipts)])
            try connection.execute("DROP TABLE repacking")
            try connection.execute("CREATE INDEX nonce_session ON nonce (session)")
        }
    }
}
