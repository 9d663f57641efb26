import Foundation

/// An API that somebody else writes, with `OstiaryResource` before its routes: a process of its own, of which all that it does to tell who calls is metered.
struct GuardedAPI {
    /// How many people call at once. Callers with one webNonce would be one question.
    private static let people = 8

    let servers: Servers
    let provider: Provider
    let person: Person

    func measure(_ binary: String, requests: Int, under emulator: Emulator?, into table: inout Table) async throws {
        let environment = [
            "ISSUER": servers.origin, "AUDIENCE": Provider.api, "REST_ADDRESS": servers.admin, "SERVER_ID": servers.serverID,
            "API_KEY": Servers.apiKey,
        ]
        let api = try MeteredProgram(binary, environment: environment, under: emulator)
        defer { api.stop() }
        try await measure(at: api.origin, requests: requests, api.meter, into: &table)
    }

    private func measure(at origin: String, requests: Int, _ meter: () -> any Meter, into table: inout Table) async throws {
        let token = try await provider.machineToken()
        table.add(
            "an API checks a JWT, ES256",
            try await load("\(origin)/asked", headers: [("Authorization", "Bearer \(token)")], count: requests, server: meter),
            "hello and all; keys fetched once")
        var nonces: [String] = []
        for _ in 0..<Self.people { nonces.append(try await person.logIn()) }
        let turns = nonces.map { [("X-webNonce", $0)] }
        table.add(
            "an API checks a webNonce",
            try await load("\(origin)/asked", turns: turns, count: requests / 4, connections: Self.people, server: meter),
            "asks each time; getSession is the server's own row")
        table.add(
            "an API checks a webNonce that it remembers",
            try await load("\(origin)/remembered", turns: turns, count: requests, connections: Self.people, server: meter),
            "asks once a minute")
    }
}
