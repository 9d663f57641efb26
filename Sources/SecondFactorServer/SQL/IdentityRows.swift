import Database
import OstiaryProtocol

/// The root: its public part, and the wrapped seed unless that is kept apart.
struct RootRow: Sendable {
    let root: Root
    let wrappedSeed: [UInt8]?
}

struct OperatorKeyRow: Sendable {
    let certificate: OperatorCertificate
    /// Nil once the certificate has expired.
    let wrappedSeed: [UInt8]?

    /// Whether it may sign: one that was certified by a clock that ran ahead is not valid yet.
    func maySign(at now: Instant) -> Bool { wrappedSeed != nil && certificate.isValid(at: now) }
}

struct PrekeyRow: Sendable {
    let id: UInt32
    let wrappedSecret: [UInt8]
    let notAfter: Instant
    let eraseAt: Instant
}

/// The statements over this server's own keys, inside a transaction.
struct IdentityRows {
    let connection: any SQLConnection

    func root() throws -> RootRow? {
        guard let row = try connection.one("SELECT root, wrapped_seed FROM own_root WHERE id = 1") else { return nil }
        return RootRow(root: try Root(decoding: try row.blob("root")), wrappedSeed: try row.optionalBlob("wrapped_seed"))
    }

    func insert(_ row: RootRow) throws {
        try connection.execute(
            "INSERT INTO own_root (id, root, wrapped_seed) VALUES (1, $1, $2)", [.blob(row.root.encoded), SQLValue(row.wrappedSeed)])
    }

    /// All of them, the newest first.
    func operatorKeys() throws -> [OperatorKeyRow] {
        try connection.query("SELECT certificate, wrapped_seed FROM own_operator_key ORDER BY not_after DESC").map { row in
            OperatorKeyRow(
                certificate: try OperatorCertificate(decoding: try row.blob("certificate")), wrappedSeed: try row.optionalBlob("wrapped_seed"))
        }
    }

    func insert(_ row: OperatorKeyRow) throws {
        try connection.execute(
            "INSERT INTO own_operator_key (id, certificate, wrapped_seed, not_after) VALUES ($1, $2, $3, $4)",
            [
                .blob(row.certificate.id), .blob(row.certificate.encoded), SQLValue(row.wrappedSeed),
                SQLValue(row.certificate.notAfter.seconds),
            ])
    }

    /// The newest first.
    func prekeys() throws -> [PrekeyRow] {
        try connection.query("SELECT id, wrapped_secret, not_after, erase_at FROM own_prekey ORDER BY not_after DESC").map { row in
            guard let id = UInt32(exactly: try row.integer("id")) else { throw SQLError.outOfRange("id") }
            return PrekeyRow(
                id: id, wrappedSecret: try row.blob("wrapped_secret"), notAfter: Instant(try row.unsigned("not_after")),
                eraseAt: Instant(try row.unsigned("erase_at")))
        }
    }

    func insert(_ row: PrekeyRow) throws {
        try connection.execute(
            "INSERT INTO own_prekey (id, wrapped_secret, not_after, erase_at) VALUES ($1, $2, $3, $4)",
            [.integer(Int64(row.id)), .blob(row.wrappedSecret), SQLValue(row.notAfter.seconds), SQLValue(row.eraseAt.seconds)])
    }

    /// No prekey lives longer than one that is made now.
    func cutPrekeys(publishedUntil: Instant, openedUntil: Instant) throws {
        try connection.execute("UPDATE own_prekey SET not_after = $1 WHERE not_after > $1", [SQLValue(publishedUntil.seconds)])
        try connection.execute("UPDATE own_prekey SET erase_at = $1 WHERE erase_at > $1", [SQLValue(openedUntil.seconds)])
    }

    /// Erases private keys that have had their time; certificates stay, to verify old receipts.
    func eraseExpired(at now: Instant) throws {
        try connection.execute("DELETE FROM own_prekey WHERE erase_at <= $1", [SQLValue(now.seconds)])
        try connection.execute(
            "UPDATE own_operator_key SET wrapped_seed = NULL WHERE not_after < $1 AND wrapped_seed IS NOT NULL", [SQLValue(now.seconds)])
    }
}
