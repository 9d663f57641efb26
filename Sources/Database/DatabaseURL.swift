/// Which database an operator means: `sqlite:PATH`, relative to the working directory or absolute.
package enum DatabaseURL: Sendable, Equatable {
    case sqlite(path: String)

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
        case "postgres", "postgresql": throw .engineNotBuiltIn("PostgreSQL")
        case let scheme: throw .unknownScheme(scheme)
        }
    }
}

/// Why a text names no database.
package enum DatabaseURLError: Error, Equatable, Sendable {
    case noScheme, noPath, memoryIsNotDurable
    case engineNotBuiltIn(String)
    case unknownScheme(String)
}

extension DatabaseURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noScheme: "a database URL starts with its engine: write sqlite:PATH"
        case .noPath: "the database URL has no path: write sqlite:PATH"
        case .memoryIsNotDurable: "a server keeps its data in a file: write sqlite:PATH"
        case .engineNotBuiltIn(let engine): "this version does not speak \(engine) yet: write sqlite:PATH"
        case .unknownScheme(let scheme): "unknown database engine \(scheme): write sqlite:PATH"
        }
    }
}
