import OstiaryTesting

/// The way of one of our servers to its database, through a proxy to each of the servers that may have it. It is cut as one: whoever has two hosts in a URL and loses
/// its own network reaches neither.
struct DatabaseWay: Sendable {
    private let lines: [CutLine]
    private let sockets: [TemporaryFolder]

    /// - Parameter folders: of the servers' sockets, whether a server is there yet or not.
    init(to folders: [String]) async throws {
        var (lines, sockets) = ([CutLine](), [TemporaryFolder]())
        for folder in folders {
            let own = try TemporaryFolder()
            lines.append(try await CutLine(at: .path(NodeWay.socket(in: own.path)), to: [.path(NodeWay.socket(in: folder))]))
            sockets.append(own)
        }
        (self.lines, self.sockets) = (lines, sockets)
    }

    /// Of its sockets, in the order of the servers.
    var folders: [String] { sockets.map(\.path) }

    func url(of database: String) -> String { NodeWay.url(of: database, sockets: folders) }

    /// Connections that have come so far, whatever became of them.
    var led: Int { lines.reduce(0) { $0 + $1.led } }

    func become(_ condition: CutLine.Condition) async {
        for line in lines { await line.become(condition) }
    }
}

/// What tells how often it was in somebody's way.
protocol CuttableWay: Sendable {
    /// Ends of connections that were broken off or refused so far, or held: see ``CutLine``.
    func met(_ condition: CutLine.Condition) -> Int
}

extension CutLine: CuttableWay {}

extension DatabaseWay: CuttableWay {
    func met(_ condition: CutLine.Condition) -> Int { lines.reduce(0) { $0 + $1.met(condition) } }
}
