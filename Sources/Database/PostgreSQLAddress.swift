import Foundation
import OstiaryProtocol

/// Where a PostgreSQL database is and how one gets there: `postgresql://USER@HOST:PORT/DATABASE?name=value`, as libpq has it. No secret is part of it, so
/// that it may stand in a log: a password is in a file.
///
/// Several hosts, `one:5432,two:5432`, are the places of one database of which one takes writes: after a failover the other is found.
package struct PostgreSQLAddress: Sendable, Equatable {
    package struct Host: Sendable, Equatable {
        /// A name, a number, or the folder of a Unix socket.
        package let name: String
        package let port: UInt16

        package init(_ name: String, port: UInt16 = 5432) {
            self.name = name
            self.port = port
        }

        /// Whether what is said there stays on this machine.
        package var isLocal: Bool { name.hasPrefix("/") || ThisMachine.isHost(name) }
    }

    package let hosts: [Host]
    package let database: String
    /// Nil for the name of the system's user.
    package var user: String?
    /// Holds the password, and nothing else but a line end. Read again for each connection, so that it may be changed.
    package var passwordFile: String?
    /// Whether the connection is TLS, to a server whose certificate is of one of `rootCertificates` and says the name that was asked for.
    package var isVerified: Bool
    /// File of the certificates by which a server is known.
    package var rootCertificates: String?
    /// Files of a certificate of this program's own, and of its key.
    package var certificate: String?
    package var key: String?
    /// Connections at a time, of this process; nil for the usual.
    package var connections: Int?

    package init(hosts: [Host], database: String, user: String? = nil) {
        self.hosts = hosts
        self.database = database
        self.user = user
        isVerified = hosts.contains { !$0.isLocal }
    }
}

extension PostgreSQLAddress: CustomStringConvertible {
    /// For an operator's line: which database where.
    package var description: String { beginning + places.joined(separator: Self.separator) }

    /// Whether a line of ``description`` names the same database at one of these hosts at least: others were added, or taken away.
    package func sharesHost(with description: String) -> Bool {
        guard description.hasPrefix(beginning) else { return false }
        // No host has a comma in its name.
        let former = description.dropFirst(beginning.count).components(separatedBy: Self.separator)
        return !Set(places).isDisjoint(with: former)
    }

    private static let separator = ", "
    private var beginning: String { "\(database) at " }
    private var places: [String] { hosts.map(\.place) }
}

extension PostgreSQLAddress.Host {
    /// For an operator's line; an address of IPv6 in brackets.
    var place: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
}
