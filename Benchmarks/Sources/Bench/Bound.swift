import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// getSession, and introspection, beside what bounds them and beside a peer: by the same client, in turn, so that whatever else the machine does falls on all.
struct Bound: Sendable {
    /// On a machine of which others have a part nginx's look-up takes half as much again in one minute as in the next: of few rounds the median is of one minute.
    static let rounds = 9
    /// Requests of each in each round.
    private static let requests = 10_000
    /// How often all live logins are read from the database in each round.
    private static let passes = 8
    static let constant = "nginx, a constant"
    static let lookup = "nginx, a look-up among 100,000 sessions"
    static let memory = "getSession"
    static let database = "getSession out of the database"

    let servers: Servers
    /// That of these servers.
    let provider: Provider
    let programs: Programs

    private struct Runner {
        let name: String
        let note: String
        let run: () async throws -> Cost

        init(_ name: String, _ note: String = "", run: @escaping () async throws -> Cost) { (self.name, self.note, self.run) = (name, note, run) }
    }

    func measure() async throws -> Table {
        let logins = try await LiveLogins(servers: servers)
        let path = "/servers/\(servers.serverID)/sessions/"
        let size = try await servers.call("GET", path, nonce: logins.nonces[0]).count
        let bare = try MeteredProgram(programs.hello, ["--bare", "\(size)"])
        defer { bare.stop() }
        let hello = try MeteredProgram(programs.hello)
        defer { hello.stop() }
        let (nginx, version) = try startNginx(size)
        defer { nginx?.stop() }
        var runners: [Runner] = []
        try await Self.mustRefuse(servers.admin + path, key: Servers.apiKey + "x", nonce: logins.nonces[0])
        if let nginx {
            try await Self.mustRefuse(nginx.origin + "/sessions", key: Servers.apiKey + "x", nonce: Self.nginxNonces[0])
            try await Self.mustRefuse(nginx.origin + "/sessions", key: Servers.apiKey, nonce: Person.nonce())
            runners.append(Runner(Self.constant, version) { try await Self.ask(nginx, "/constant") })
            let asked = "\(size) bytes as getSession has, \(Self.nginxNonces.count) of the sessions in turn"
            runners.append(Runner(Self.lookup, asked) { try await Self.ask(nginx, "/sessions") })
        }
        runners.append(Runner("NIOHTTP1, a constant", "\(size) bytes") { try await Self.ask(bare, "/") })
        runners.append(Runner("our own hello", "the framework's router") { try await Self.ask(hello, "/hello") })
        let live = "\(logins.nonces.count) live sessions in turn"
        runners.append(Runner(Self.memory, live) { try await logins.outOfMemory(count: Self.requests) })
        runners.append(Runner(Self.database, "\(live), each read, written and kept") { try await logins.outOfDatabase(passes: Self.passes) })
        var table = try await Self.inTurn(runners)
        try await measureIntrospection(into: &table)
        return table
    }

    private func measureIntrospection(into table: inout Table) async throws {
        let token = try await provider.machineToken()
        let peer = try startGlewlwyd()
        defer { peer?.stop() }
        var runners = [Runner("introspection of a JWT") { try await provider.introspection(of: token, count: Self.requests / 4) }]
        if let peer {
            let note = "Glewlwyd \(peer.version), ES256, SQLite"
            runners.append(Runner("Glewlwyd, introspection of a JWT", note) { try await peer.introspection(count: Self.requests / 4) })
        }
        for row in try await Self.inTurn(runners).rows { table.add(row.name, row.cost, row.note, rounds: row.rounds) }
    }

    /// What getSession was to cost beside nginx, of what ``measure()`` found: ratios of the medians, and of each round by itself.
    static func aims(_ table: Table) -> [Aim] {
        [(memory, "out of memory", 0.55), (database, "out of the database", 0.33)].map { (name, words, least) -> Aim in
            let aimed = "nginx's look-up / getSession \(words)"
            guard let lookup = table[lookup], let session = table[name] else { return Aim(aimed, nil, least: least) }
            let rounds = zip(table.rounds(of: Self.lookup), table.rounds(of: name)).map { $0.nanoseconds / $1.nanoseconds }
            return Aim(aimed, lookup.nanoseconds / session.nanoseconds, least: least, rounds: rounds)
        }
    }

    private static func inTurn(_ runners: [Runner]) async throws -> Table {
        var costs = [[Cost]](repeating: [], count: runners.count)
        for round in 0..<rounds {
            // Forwards and backwards, so that none always comes behind the same other.
            let places = round.isMultiple(of: 2) ? Array(runners.indices) : Array(runners.indices.reversed())
            for place in places { costs[place].append(try await runners[place].run()) }
        }
        var table = Table()
        for (runner, found) in zip(runners, costs) { table.add(runner.name, .median(of: found), runner.note, rounds: found) }
        return table
    }

    private static func ask(_ program: MeteredProgram, _ path: String) async throws -> Cost {
        let turns = nginxNonces.map { [("X-apikey", Servers.apiKey), ("X-nonce", $0)] }
        return try await load(program.origin + path, turns: turns, count: requests, server: program.meter)
    }

    /// Whoever answers everybody is quick, and is no bound.
    private static func mustRefuse(_ url: String, key: String, nonce: String) async throws {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "X-apikey", value: key)
        request.headers.add(name: "X-nonce", value: nonce)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 1 << 16)
        guard (400..<500).contains(response.status.code) else { throw BenchError("\(url) does not refuse: \(response.status)") }
    }

    /// Of as many sessions as ours is asked about, from all over those that `peer-nginx` has.
    private static let nginxNonces: [String] = (1...LiveLogins.count).map { number in
        let digits = String(number * (100_000 / LiveLogins.count), radix: 16)
        return String(repeating: "0", count: 43 - digits.count) + digits
    }

    private func startNginx(_ size: Int) throws -> (MeteredProgram?, String) {
        guard let scripts = programs.peers else { return (nil, "") }
        let folder = servers.folder.appendingPathComponent("nginx").path
        do {
            let nginx = try MeteredProgram("\(scripts)/peer-nginx", [folder, "\(size)", Servers.apiKey])
            return (nginx, (try? Process.output(of: "\(scripts)/peer-nginx", ["--version"], errors: .nullDevice)) ?? "")
        } catch {
            print("\nnginx is left out: \(error)")
            return (nil, "")
        }
    }

    private func startGlewlwyd() throws -> Glewlwyd? {
        guard let scripts = programs.peers else { return nil }
        do {
            return try Glewlwyd(scripts, folder: servers.folder)
        } catch {
            print("\nGlewlwyd is left out: \(error)")
            return nil
        }
    }
}
