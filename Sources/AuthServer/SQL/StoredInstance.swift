import Authentication
import Database
import OstiaryProtocol

/// The instance of an account as a column that is never null: a headless account, which has none, has no byte there (decision 0046).
enum StoredInstance {
    static func value(_ instance: InstanceID?) -> SQLValue { .blob(instance?.bytes ?? []) }

    static func read(_ row: SQLRow, _ column: StaticString) throws -> InstanceID? {
        try row.blob(column).isEmpty ? nil : row.identifier(column)
    }

    /// That an account has a second factor, and that one counts, for conditions on the account `a`.
    static let isThere = "length(a.instance) > 0"
}
