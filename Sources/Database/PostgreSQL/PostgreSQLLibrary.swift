import CLibPQ

/// The client library, in a process that has a database of PostgreSQL: it is opened with the first connection, and stays.
enum PostgreSQLLibrary {
    /// Why it cannot be used; nil when it can.
    static let fault: String? = ostiary_open_libpq().map { reason in
        "libpq, the client library of PostgreSQL, cannot be opened (\(String(cString: reason))): install it (Debian: libpq5)"
    }
}
