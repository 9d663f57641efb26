import ArgumentParser
import Database
import Foundation
import HTTPService
import OstiaryProgram

/// `ostiary admin move-database`: all that a server keeps goes to a database of the other engine. It opens both itself, and no server.
struct MoveDatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-database", abstract: "Move what a stopped server keeps from SQLite to PostgreSQL, or back.",
        discussion: """
            Of either server: it is told by the tables. Stop every server on the old database first, and start it with this program once if it ran with an \
            older one. The new database is empty, or what an earlier run of the same command has left: ended at any point, the command goes on when it is \
            given again. At the end all rows of both are read and compared. No row of the old database is changed, and it says where they are from then on; \
            key files are not touched and go with the server. See docs/operations.md.
            """)

    @Option(help: ArgumentHelp("The database that the server has, as its setting spells it: sqlite:PATH or postgresql://…", valueName: "url"))
    var from: String
    @Option(help: ArgumentHelp("The database of the other engine that it shall have, likewise.", valueName: "url"))
    var to: String

    func run() async throws {
        // Whoever reads no further (`| head`) ends no move, and hears at its end that there was more to read.
        signal(SIGPIPE, SIG_IGN)
        try await StartFailure.told(by: "ostiary admin move-database") {
            try await ToldFault.telling(.command) { try await move() }
        }
    }

    private func move() async throws {
        let (old, new) = (try DatabaseURL(parsing: from), try DatabaseURL(parsing: to))
        guard old.isSQLite != new.isSQLite else { throw MoveRefusal.sameEngine }
        let ending = try await Self.closing(try MoveEnd.source(old, from)) { source in
            let kind = try await ServerKind.of(source)
            try OtherServersFolder.check(new, other: kind.otherFileName)
            // Before the target is opened, which makes a file.
            try await source.checkAlone()
            try await source.checkNotMoved(besides: new, to)
            return try await Self.closing(try MoveEnd.target(new, to)) { target in
                let report = try await Self.move(from: source, to: target, kind.schema)
                return MoveEnding(report, kind: kind, from: from, to: to, owner: target.owner)
            }
        }
        try Self.tell(ending)
    }

    private static func tell(_ ending: MoveEnding) throws(UntoldMove) {
        do throws(OutputFailure) { for line in ending.lines { try StandardStreams.deliver(line) } } catch { throw UntoldMove(cause: error) }
    }

    private static func move(from source: MoveEnd, to target: MoveEnd, _ schema: MovableSchema) async throws -> MoveReport {
        let teller = MoveTeller(isTerminal: isatty(STDERR_FILENO) == 1)
        defer { teller.end() }
        let move = DatabaseMove(from: source, to: target, schema: schema, stepPatience: .told(by: "ostiary admin move-database"))
        do { return try await move.run { teller.tell($0) } } catch { throw MoveInterruption(error) ?? error }
    }

    /// Closes a database in order, however the work with it ends. That it cannot be reached is told with the reason.
    private static func closing<Value>(_ end: MoveEnd, _ work: (MoveEnd) async throws -> Value) async throws -> Value {
        let value: Value
        do { value = try await end.tellingWhy { try await work(end) } } catch {
            try? await end.close()
            throw error
        }
        try await end.close()
        return value
    }
}

extension ServerKind {
    static func of(_ source: MoveEnd) async throws -> ServerKind {
        allCases[try await MovableSchema.of(source, among: allCases.map(\.schema))]
    }
}

/// Something that passes kept a move from its end.
struct MoveInterruption: Error, CustomStringConvertible {
    private let cause: any OperatorFault

    /// Nil for what the same command would meet again.
    init?(_ error: any Error) {
        switch error {
        case SQLError.tableMissing, SQLError.indexMissing: return nil
        default: break
        }
        guard SQLError.isOutage(error), let fault = error as? any OperatorFault else { return nil }
        cause = fault
    }

    var description: String { "\(cause.brief); what was copied stays: run the same command again, and it goes on" }
}

/// The move came to its end, and nobody could be told. The exit code says that something is amiss, and would be taken for a move that is not done.
struct UntoldMove: Error, CustomStringConvertible {
    let cause: OutputFailure

    var description: String {
        "\(cause); the move itself is done: run the same command again, before a server runs on the new database, to be told what was compared and what "
            + "to do next"
    }
}

extension DatabaseURL {
    fileprivate var isSQLite: Bool { if case .sqlite = self { true } else { false } }
}
