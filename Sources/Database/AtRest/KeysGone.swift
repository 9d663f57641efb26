/// What an operator is told of keys with which a server has run, and that its database does not hold any more. Neither server makes others in their place: they
/// would be those of nobody's phone, and in the way of what comes back.
package enum KeysGone {
    /// One line.
    /// - Parameters:
    ///   - gone: what is missed, with its verb.
    ///   - other: what may be there instead, as a sentence.
    package static func words(_ gone: String, or other: String) -> String {
        "\(gone) gone from beneath this server, or \(other), as while a backup is restored, and no new one is made: stop every server on this database, restore "
            + "the whole backup, and start again; with the same keys back a server that runs goes on by itself"
    }
}
