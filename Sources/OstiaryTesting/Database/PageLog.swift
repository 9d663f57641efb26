import Database
import Foundation

/// The write-ahead log of a database file, by which a test counts pages: each one is written there, waited for, and copied to the file later.
package struct PageLog: Sendable {
    private let database: SQLiteDatabase
    private let path: String

    /// - Parameter path: of the file that `database` has open.
    package init(of database: SQLiteDatabase, at path: String) {
        self.database = database
        self.path = path + "-wal"
    }

    /// Pages that were written since the last time, and begins a new log.
    /// - Throws: what the system says of the file, and `SQLError.busy` where somebody reads meanwhile.
    package func take() async throws -> Int {
        guard let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber else { throw CocoaError(.fileReadUnknown) }
        try await database.purge()
        return max(0, size.intValue - Self.head) / Self.page
    }

    private static let head = 32
    /// 4,096 bytes, and 24 that say which page it is.
    private static let page = 4_096 + 24
}
