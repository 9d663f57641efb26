/// What the nodes of one database tell each other beside its rows: small notes, which may get lost. A note only shortens a wait; what is so, the rows say.
///
/// Notes go out after a commit and on a connection of their own: whoever announces something waits for nobody.
package protocol Announcements: Sendable {
    /// Tells everybody who listens on this database, at this node too. What comes together travels together.
    /// - Parameter note: some dozens of bytes, which whoever may use the database can read.
    func announce(_ note: [UInt8])

    /// Calls `body`, which must be quick, with all that is heard from now on until the database is closed. The first that it hears is a gap: now it listens.
    func listen(_ body: @Sendable @escaping (HeardAnnouncement) -> Void)
}

/// What is heard.
package enum HeardAnnouncement: Equatable, Sendable {
    case note([UInt8])
    /// Notes may have got lost, of which nobody knows what they were about: look into the rows.
    case gap
}
