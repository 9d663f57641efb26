import Database

/// The URL of a database is none, or PostgreSQL lets nobody in by it: with the setting in which it stands.
struct WrongSetting: Error, CustomStringConvertible {
    /// Its variable.
    let setting: String
    let cause: any Error

    var description: String { "\(setting): \(cause)" }

    /// Does what is done by a URL alone.
    /// - Throws: ``WrongSetting`` for `DatabaseURLError` and `DatabaseOpenError.cannotOpen`; else what `work` throws.
    static func naming<Value>(_ setting: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as DatabaseURLError {
            throw WrongSetting(setting: setting, cause: error)
        } catch let error as DatabaseOpenError {
            guard case .cannotOpen = error else { throw error }
            throw WrongSetting(setting: setting, cause: error)
        }
    }
}
