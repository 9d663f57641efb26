import Database
import Foundation
import HTTPService
import Logging
import OstiaryProtocol

/// Opening what a server keeps.
enum ServerStorage {
    /// - Throws: `DatabaseURLError`, `DatabaseOpenError`, `KeyFileError`.
    static func open(_ settings: StorageSettings, ownership: DatabaseOwnership) throws -> (any Database, KeyEncryptionKey) {
        let url = try DatabaseURL(parsing: settings.databaseURL)
        let key = try KeyEncryptionKey.load(orMakeAt: settings.keyFile)
        return (try openDatabase(url, ownership: ownership), key)
    }
}

extension Instant {
    /// The wiring is where the clock is read.
    static var now: Instant { Instant(UInt64(max(0, Date().timeIntervalSince1970))) }
}

extension Logger.Metadata {
    /// Of the one line that says that a server is up: its identity, its addresses, and how many connections it has room for.
    static func running(_ identity: String, _ bound: [BoundListener], _ shares: ConnectionShares) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "identity": "\(identity)", "version": "\(programVersion)",
            "connections": "\(shares.open.total), \(shares.open.perPeer) from one address",
        ]
        for listener in bound { metadata[listener.name] = "\(listener.address)" }
        return metadata
    }
}
