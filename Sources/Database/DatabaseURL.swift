import OstiaryProtocol

/// Which database an operator means: `sqlite:PATH`, relative to the working directory or absolute, or `postgresql://HOST/DATABASE`.
package enum DatabaseURL: Sendable, Equatable {
    case sqlite(path: String)
    case postgresql(PostgreSQLAddress)

    /// - Throws: ``DatabaseURLError``.
    package init(parsing text: String) throws(DatabaseURLError) {
        guard let colon = text.firstIndex(of: ":") else { throw .noScheme }
        let rest = String(text[text.index(after: colon)...])
        switch text[..<colon].lowercased() {
        case "sqlite":
            guard !rest.isEmpty else { throw .noPath }
            guard rest != ":memory:" else { throw .memoryIsNotDurable }
            self = .sqlite(path: rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest)
            guard case .sqlite(let path) = self, !path.isEmpty else { throw .noPath }
        case "postgres", "postgresql": self = .postgresql(try PostgreSQLAddress(parsing: rest))
        case let scheme: throw .unknownScheme(scheme)
        }
    }
}

extension DatabaseURL {
    /// As a command takes it, whatever folder that is pasted in: all files in it are named from the root on.
    package var text: String {
        switch self {
        case .sqlite(let path): "sqlite:\(wholePath(path))"
        case .postgresql(let address): address.url
        }
    }
}

/// Why a text names no database. No case carries a part of it that may be a secret.
package enum DatabaseURLError: Error, Equatable, Sendable {
    case noScheme, noPath, memoryIsNotDurable
    case unknownScheme(String)
    /// Of PostgreSQL: neither a host nor the folder of a socket, or one that is not written as one.
    case noHost
    case noDatabase
    /// A password belongs into a file, which only its owner can read.
    case passwordInURL
    /// Another machine is asked by TLS, of a server that shows who it is, or not at all.
    case unprotected
    /// Of a database on this machine: TLS is without doubt, or left out.
    case unknownMode
    /// Nobody said by which certificates the server is known.
    case noRootCertificates
    case unknownParameter(String)
    /// Twice there, or no value of it.
    case badParameter(String)
}

extension DatabaseURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noScheme: "a database URL starts with its engine: write sqlite:PATH or postgresql://HOST/DATABASE"
        case .noPath: "the database URL has no path: write sqlite:PATH"
        case .memoryIsNotDurable: "a server keeps its data in a file: write sqlite:PATH"
        case .unknownScheme(let scheme): "unknown database engine \(scheme): write sqlite:PATH or postgresql://HOST/DATABASE"
        case .noHost: "the database URL has no host: write postgresql://HOST/DATABASE, or postgresql:///DATABASE?host=FOLDER for a Unix socket"
        case .noDatabase: "the database URL has no database: write postgresql://HOST/DATABASE"
        case .passwordInURL:
            "the database URL holds a password, which logs and process lists would show: write it into a file and name that, ?password_file=PATH"
        case .unprotected:
            "the database URL names another machine, and an sslmode by which whoever answers there could pass for it and be told what logs people in: write "
                + "sslmode=verify-full and sslrootcert=PATH, a file of the certificates by which PostgreSQL is known"
        case .unknownMode:
            "sslmode in the database URL is neither verify-full nor disable: on this machine leave it out, or write sslmode=verify-full and sslrootcert=PATH; "
                + "what is between the two does not make sure of who answers"
        case .noRootCertificates:
            "the database URL names another machine, or sslmode=verify-full, and not by which certificates PostgreSQL is known there: without them whoever "
                + "answers would be told what logs people in. Add sslrootcert=PATH (behind ? or &), a file of them; sslmode=verify-full goes with it"
        case .unknownParameter(let name): "the database URL has a parameter that is not known: \(name)"
        case .badParameter(let name): "the parameter \(name) of the database URL is not well formed, or is there twice"
        }
    }
}
