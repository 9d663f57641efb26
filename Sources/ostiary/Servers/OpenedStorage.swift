import Database
import Logging

/// What a server keeps, opened: its database, and the key of its key file, of which nobody knows yet whether it opens what the database holds.
struct OpenedStorage: Sendable {
    let database: any Database
    let key: KeyEncryptionKey
    /// Nil where it was left already, by a first start: what that writes it writes under this key.
    let mark: DatabaseMark?
    let logger: Logger?

    private static let whenReplaced =
        "after a move or a failover that is right, and the former one is not to be started on again; else mend its URL"

    /// To be called once the key has opened what the database holds: leaves the mark beside the key file, and tells if another database stood there, which is right
    /// where it was moved. A key file of another database leaves none, and keeps its own, by which that database is known.
    func keyIsProven() {
        guard let mark else { return }
        if let former = mark.replaced {
            logger?.warning(
                "the database is not that of the last start: \(Self.whenReplaced)",
                metadata: ["before": "\(former)", "database": "\(mark.database)"])
        }
        mark.leave()
    }
}
