import Database
import OstiaryProtocol

extension SQLRows: IdentityRows {
    func root() throws -> RootRow? {
        guard let row = try connection.one("SELECT root, wrapped_seed FROM own_root WHERE id = 1") else { return nil }
        return RootRow(root: try Root(decoding: try row.blob("root")), wrappedSeed: try row.optionalBlob("wrapped_seed"))
    }

    func add(_ root: RootRow) throws {
        try connection.write(
            "INSERT INTO own_root (id, root, wrapped_seed) VALUES (1, $1, $2)", [.blob(root.root.encoded), SQLValue(root.wrappedSeed)])
    }

    func operatorKeys() throws -> [OperatorKeyRow] {
        try connection.query("SELECT certificate, wrapped_seed FROM own_operator_key ORDER BY not_after DESC").map { row in
            OperatorKeyRow(
                certificate: try OperatorCertificate(decoding: try row.blob("certificate")), wrappedSeed: try row.optionalBlob("wrapped_seed"))
        }
    }

    func add(_ key: OperatorKeyRow) throws {
        try connection.write(
            "INSERT INTO own_operator_key (id, certificate, wrapped_seed, not_after) VALUES ($1, $2, $3, $4)",
            [
                .blob(key.certificate.id), .blob(key.certificate.encoded), SQLValue(key.wrappedSeed),
                SQLValue(key.certificate.notAfter.seconds),
            ])
    }

    func prekeys() throws -> [PrekeyRow] {
        try connection.query("SELECT id, wrapped_secret, not_after, erase_at FROM own_prekey ORDER BY not_after DESC").map { row in
            guard let id = UInt32(exactly: try row.integer("id")) else { throw SQLError.outOfRange("id") }
            return PrekeyRow(
                id: id, wrappedSecret: try row.blob("wrapped_secret"), notAfter: Instant(try row.unsigned("not_after")),
                eraseAt: Instant(try row.unsigned("erase_at")))
        }
    }

    func add(_ prekey: PrekeyRow) throws {
        try connection.write(
            "INSERT INTO own_prekey (id, wrapped_secret, not_after, erase_at) VALUES ($1, $2, $3, $4)",
            [.integer(Int64(prekey.id)), .blob(prekey.wrappedSecret), SQLValue(prekey.notAfter.seconds), SQLValue(prekey.eraseAt.seconds)])
    }

    func cutPrekeys(publishedUntil: Instant, openedUntil: Instant) throws {
        try connection.write("UPDATE own_prekey SET not_after = $1 WHERE not_after > $1", [SQLValue(publishedUntil.seconds)])
        try connection.write("UPDATE own_prekey SET erase_at = $1 WHERE erase_at > $1", [SQLValue(openedUntil.seconds)])
    }

    func eraseExpiredKeys(at now: Instant) throws {
        try connection.write("DELETE FROM own_prekey WHERE erase_at <= $1", [SQLValue(now.seconds)])
        try connection.write(
            "UPDATE own_operator_key SET wrapped_seed = NULL WHERE not_after < $1 AND wrapped_seed IS NOT NULL", [SQLValue(now.seconds)])
    }
}
