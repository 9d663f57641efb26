import Authentication
import Database
import OstiaryProtocol

/// How the secrets of rows get into columns and out of them, in one transaction.
struct RowSecrets {
    let key: KeyEncryptionKey
    /// Nil where nothing is written.
    let salt: WrapSalt?

    /// A secret as the column that `place` names has it: what came from there stays as it is, anything else is wrapped.
    func wrapped(_ secret: StoredSecret, _ place: String, _ row: [UInt8]) throws -> [UInt8] {
        let place = Self.context(place, row)
        if let kept = secret.wrapped(for: place) { return kept }
        guard let salt else { throw SQLError.readOnly }
        return try key.wrap(try secret.bytes(), context: place, salt: salt)
    }

    func secret(_ wrapped: [UInt8], _ place: String, _ row: [UInt8]) -> StoredSecret {
        let (key, place) = (key, Self.context(place, row))
        return StoredSecret(wrapped: wrapped, for: place) { try key.unwrap(wrapped, context: place) }
    }

    private static func context(_ place: String, _ row: [UInt8]) -> String { "as/\(place)/\(Base64URL.encode(row))" }
}
