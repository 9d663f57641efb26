import Authentication
import Database
import HTTPService
import OstiaryProtocol

extension AuthNodeCore {
    /// What `/live` and `/ready` say of this server.
    func health(drain: DrainSignal, limit: Duration) -> HealthRoutes {
        let (database, store, gateway, vault, server) = (database, store, gateway, vault, server.id)
        return HealthRoutes(
            checks: [
                NamedCheck("database") {
                    try await database.checkInPlace()
                    // What getSession reads, for a nonce that is nobody's.
                    _ = try await database.tellingWhy {
                        try await store.read { rows in
                            _ = try rows.view(nonceHash: [], of: server)
                            return try rows.server(server)
                        }
                    }
                },
                // What fails is asked again each time: by then the database may answer, or the rows may be back.
                CachedCheck("identity", behind: "database", failureLasts: .zero) { try await database.tellingWhy { try await vault.checkKept() } },
            ],
            logins: [
                CachedCheck("disk", behind: "database") { try await database.checkStorage(of: AuthenticationSchema.tables) },
                CachedCheck("second-factor") { try await gateway.check() },
                // Without an operational key that is valid now it signs nothing.
                NamedCheck("keys", behind: "identity") { try await database.tellingWhy { try await vault.checkSigners() } },
            ],
            told: [
                unconfirmed, RootKeyCheck(behind: "identity") { try await database.tellingWhy { try await vault.missingRootKey() } }, clockCheck,
                housekeeping,
                // Sessions and logins go on without it.
                NamedCheck("token-keys", behind: "identity") { try await database.tellingWhy { try await vault.checkTokenSecrets() } },
            ],
            drain: drain, limit: limit)
    }

    private var housekeeping: NamedCheck {
        NamedCheck("housekeeping") { [clockGuard, clock] in
            if let doubt = clockGuard.doubt(at: clock()) { throw doubt }
        }
    }

    private var unconfirmed: NamedCheck {
        NamedCheck("unconfirmed") { [services, clock] in
            // A database that cannot be read is told by its own check.
            guard let since = try? await services.closes.overdue(at: clock()) else { return }
            throw UnconfirmedOrders(since: since)
        }
    }
}
