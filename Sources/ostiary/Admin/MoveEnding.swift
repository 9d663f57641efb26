import Database

/// What an operator reads of a move that came to its end: what was compared, and what to do next.
struct MoveEnding {
    private let report: MoveReport
    private let kind: ServerKind
    private let from: String
    private let to: String
    private let owner: String?

    /// - Parameter owner: of the new file, where root moved.
    init(_ report: MoveReport, kind: ServerKind, from: String, to: String, owner: String? = nil) {
        (self.report, self.kind, self.from, self.to, self.owner) = (report, kind, from, to, owner)
    }

    var lines: [String] {
        let tables = report.tables.sorted { $0.name < $1.name }
        return tables.map { "\($0.name): \($0.rows) rows, sha256 \(Self.hexadecimal($0.hash))" } + [summary] + owned + [next, after]
    }

    private var owned: [String] {
        guard let owner else { return [] }
        return ["root moved, and the new file belongs to \(owner): a server of another user needs it as its own (chown), with what is beside it"]
    }

    private var summary: String {
        let what = "all \(report.rows) rows of the \(kind.name), in \(report.tables.count) tables, are in the new database"
        let isMoved = "\(what) already, and the same on both sides; nothing was changed"
        return report.wasMoved ? isMoved : "\(what); counts and hashes are the same on both sides"
    }

    private var next: String {
        "next: set \(kind.urlSetting)='\(to)', leave its key file where it is or take it along (\(kind.keySetting), and that of --root-key: no other opens "
            + "what was moved), and start \(kind.command)"
    }

    private var after: String {
        let guarded =
            report.isNoted
            ? "it says where its rows are now, and no server starts on it"
            : "its tables are another role's, so it could not be noted there where its rows are now, and nothing keeps a server from it"
        return "the old database (\(from)) is as it was: start no server on it any more, keep it until the new one has run and is backed up, then "
            + "remove it; \(guarded)"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
