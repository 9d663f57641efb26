import Foundation

/// What a database says of a move that has taken its rows elsewhere.
package struct MovedWord: Equatable, Sendable {
    /// Where they are, as one line; nil where that cannot be read.
    package let target: String?
    package let mark: MovedMark

    package init(target: String?, mark: MovedMark) { (self.target, self.mark) = (target, mark) }

    /// Whether it is that of a move to this URL, however an operator has spelled it this time.
    func names(_ url: String) -> Bool {
        guard let target else { return false }
        if target == operatorLine(url) { return true }
        guard let ours = try? DatabaseURL(parsing: target), let theirs = try? DatabaseURL(parsing: url) else { return false }
        switch (ours, theirs) {
        case (.sqlite(let one), .sqlite(let other)): return Self.file(one) == Self.file(other)
        // How one gets there may have changed since.
        case (.postgresql(let one), .postgresql(let other)):
            return one.hosts == other.hosts && one.database == other.database && one.user == other.user
        default: return false
        }
    }

    private static func file(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path }
}
