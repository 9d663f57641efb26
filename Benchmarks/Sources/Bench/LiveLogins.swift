/// One person who is logged in under many nonces: getSession is asked about all of them in turn, out of the server's memory or out of its database.
struct LiveLogins: Sendable {
    /// As many as are made in some ten seconds.
    static let count = 400

    private let servers: Servers
    private let person: Person
    let nonces: [String]

    /// Enrols the person, who stretches the PIN once. Their phone has an hour until it has to say that it goes on, so that none of its pings falls into what
    /// is measured.
    init(_ count: Int = Self.count, servers: Servers) async throws {
        let person = try Person(name: "logins", servers: servers, stretchesAhead: true)
        try await person.enrol()
        try await servers.setPingTime(3_600)
        var nonces: [String] = []
        for _ in 0..<count { nonces.append(try await person.logIn()) }
        try await servers.setPingTime(300)
        (self.servers, self.person, self.nonces) = (servers, person, nonces)
    }

    /// The cost of one of `count` questions, after each login was asked for: they are answered out of memory.
    func outOfMemory(count: Int) async throws -> Cost { try await servers.getSession(nonces, count: count) }

    /// The cost of one question that is answered out of the database: of all logins `passes` times, each of them once after all have gone from memory. They go
    /// since one more login writes the row of their account (docs/decisions/0061). So what is read is also written and kept.
    /// - Throws: ``BenchError`` where what the database did was counted, and was less than one step for each question.
    func outOfDatabase(passes: Int) async throws -> Cost {
        var sum: Cost?
        for _ in 0..<passes {
            // That row says to the second when the last one was: another in the same would change nothing.
            try await Task.sleep(for: .seconds(1))
            _ = try await person.logIn()
            let meter = servers.serveMeter()
            let before = meter.now()
            try await servers.askForSessions(nonces)
            let cost = meter.now() - before
            sum = sum.map { $0 + cost } ?? cost
        }
        guard let cost = sum?.each(of: passes * nonces.count) else { throw BenchError("nothing was asked") }
        if let steps = cost.parts?[.steps], steps < 1 {
            throw BenchError("getSession took \(steps) steps of a statement, where each was to be out of the database")
        }
        return cost
    }
}

extension Servers {
    /// The cost of one of `count` calls of getSession over 8 connections, for these nonces in turn.
    func getSession(_ nonces: [String], count: Int) async throws -> Cost {
        try await load(sessions, turns: nonces.map(Self.asking), count: count, server: serveMeter)
    }

    /// getSession for each of these once.
    fileprivate func askForSessions(_ nonces: [String]) async throws {
        try await ask(sessions, nonces.map(Self.asking), count: nonces.count)
    }

    private static func asking(_ nonce: String) -> [(String, String)] { [("X-apikey", apiKey), ("X-nonce", nonce)] }

    private var sessions: String { "\(admin)/servers/\(serverID)/sessions/" }

    /// Seconds within which a phone has to say that its login goes on, for logins from now on.
    fileprivate func setPingTime(_ seconds: Int) async throws {
        try await call("PUT", "/servers/\(serverID)/", body: #"{"pingTime":\#(seconds)}"#)
    }
}
