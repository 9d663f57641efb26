import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// getSession, and introspection, beside what bounds them and beside a peer: by the same client, in turn, so that whatever else the machine does falls on all.
struct Bound: Sendable {
    static let rounds = 3
    /// Requests of each in each round.
    private static let requests = 10_000
    static let constant = "nginx, a constant"
    static let lookup = "nginx, a look-up among 100,000 sessions"

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
        let person = try Person(name: "bound", servers: servers)
        try await person.enrol()
        let nonce = try await person.logIn()
        let path = "/servers/\(servers.serverID)/sessions/"
        let size = try await servers.call("GET", path, nonce: nonce).count
        let bare = try MeteredProgram(programs.hello, ["--bare", "\(size)"])
        defer { bare.stop() }
        let hello = try MeteredProgram(programs.hello)
        defer { hello.stop() }
        let (nginx, version) = try startNginx(size)
        defer { nginx?.stop() }
        var runners: [Runner] = []
        try await Self.mustRefuse(servers.admin + path, key: Servers.apiKey + "x", nonce: nonce)
        if let nginx {
            try await Self.mustRefuse(nginx.origin + "/sessions", key: Servers.apiKey + "x", nonce: Self.nginxNonce)
            try await Self.mustRefuse(nginx.origin + "/sessions", key: Servers.apiKey, nonce: Person.nonce())
            runners.append(Runner(Self.constant, version) { try await Self.ask(nginx, "/constant") })
            runners.append(Runner(Self.lookup, "\(size) bytes as getSession has") { try await Self.ask(nginx, "/sessions") })
        }
        runners.append(Runner("NIOHTTP1, a constant", "\(size) bytes") { try await Self.ask(bare, "/") })
        runners.append(Runner("our own hello", "the framework's router") { try await Self.ask(hello, "/hello") })
        runners.append(Runner("getSession") { try await servers.getSession(nonce, count: Self.requests) })
        var table = try await Self.inTurn(runners)
        if let lookup = table[Self.lookup], let session = table["getSession"] {
            print(String(format: "\nThe look-up of nginx / getSession: %.2f", lookup.nanoseconds / session.nanoseconds))
        }
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
        for row in try await Self.inTurn(runners).rows { table.add(row.name, row.cost, row.note) }
    }

    private static func inTurn(_ runners: [Runner]) async throws -> Table {
        var costs = [[Cost]](repeating: [], count: runners.count)
        for _ in 0..<rounds {
            for (place, runner) in runners.enumerated() { costs[place].append(try await runner.run()) }
        }
        var table = Table()
        for (runner, found) in zip(runners, costs) { table.add(runner.name, .median(of: found), runner.note) }
        return table
    }

    private static func ask(_ program: MeteredProgram, _ path: String) async throws -> Cost {
        let headers = [("X-apikey", Servers.apiKey), ("X-nonce", nginxNonce)]
        return try await load(program.origin + path, headers: headers, count: requests, server: program.meter)
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

    /// Of a session in the middle of those that `peer-nginx` has.
    private static let nginxNonce = String(repeating: "0", count: 39) + "c350"

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
