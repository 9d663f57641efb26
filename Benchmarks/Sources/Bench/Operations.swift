import Foundation

extension Bench {
    private static let idle = "both servers by themselves, for a second"
    static let login = "QR login with PIN"

    /// - Parameters:
    ///   - provider: that of these servers.
    ///   - emulator: what both servers run under; each operation is done less often then.
    static func measureOperations(
        _ servers: Servers, _ provider: Provider, _ programs: Programs, under emulator: Emulator? = nil
    ) async throws -> Table {
        var table = Table()
        let (requests, logins, enrolments) = emulator == nil ? (20_000, 40, 20) : (2_000, 40, 40)
        try await measureHello(programs.hello, requests, under: emulator, &table)
        let person = try Person(name: "first", servers: servers)
        try await person.enrol()
        let nonce = try await person.logIn()
        table.add("getSession", try await servers.getSession([nonce], count: requests), "one session")
        // Before the pages: a server still ends what was theirs for some seconds after them.
        table.add(Self.idle, try await metered(servers, 10) { _ in try await Task.sleep(for: .seconds(1)) }, "probes, looks, housekeeping")
        try await OpenPages(servers: servers, count: emulator == nil ? 100 : 20, seconds: emulator == nil ? 30 : 20).measure(into: &table)
        // Whatever comes about with the first of each is no part of the others.
        try await person.logInToApp()
        table.add(
            Self.login, try await metered(servers, logins, by: emulator) { _ in _ = try await person.logIn() },
            "REST call included; one after the other, beside a phone that stretches its PIN")
        table.add("AppLogin with PIN, and its stop", try await metered(servers, logins, by: emulator) { _ in try await person.logInToApp() })
        table.add(
            "enrolment with confirmation",
            try await metered(servers, enrolments, by: emulator) { round in try await Person(name: "phone\(round)", servers: servers).enrol() })
        try await ServiceCalls(servers: servers).measure(logins, into: &table)
        try await provider.measure(requests: requests, turns: emulator == nil ? 200 : 40, into: &table)
        try await GuardedAPI(servers: servers, provider: provider, person: person).measure(
            programs.guarded, requests: requests, under: emulator, into: &table)
        return table
    }

    /// The cost of both servers for one of `count` operations.
    static func metered(_ servers: Servers, _ count: Int, _ work: (Int) async throws -> Void) async throws -> Cost {
        let costs = try await meteredApart(servers, count) { for round in 0..<count { try await work(round) } }
        return costs[0] + costs[1]
    }

    /// The cost of each server for one of `count` operations, which `work` does all.
    static func meteredApart(_ servers: Servers, _ count: Int, _ work: () async throws -> Void) async throws -> [Cost] {
        let meters = servers.meter()
        let (before, begun) = (meters.map { $0.now() }, ContinuousClock.now)
        try await work()
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        return zip(meters, before).enumerated().map { place, meter in
            var cost = meter.0.now() - meter.1
            // Both took part in the same time.
            cost.seconds = place == 0 ? seconds : 0
            return cost.each(of: count)
        }
    }

    /// The cost of both servers for one of `count` operations: of their time the mean, since what is rare is paid, too; under an emulator the median, in
    /// which each part stands as often as the operation does it.
    private static func metered(
        _ servers: Servers, _ count: Int, by emulator: Emulator?, _ work: (Int) async throws -> Void
    ) async throws -> Cost {
        guard emulator != nil else { return try await metered(servers, count, work) }
        var costs: [Cost] = []
        for round in 0..<count { costs.append(try await metered(servers, 1) { _ in try await work(round) }) }
        return .median(of: costs)
    }

    private static func measureHello(_ binary: String, _ count: Int, under emulator: Emulator?, _ table: inout Table) async throws {
        let hello = try MeteredProgram(binary, under: emulator)
        defer { hello.stop() }
        table.add("our own hello", try await load("\(hello.origin)/hello", count: count, server: hello.meter), "same HTTP stack")
        table.add("our own hello + one point read", try await load("\(hello.origin)/point", count: count, server: hello.meter), "same driver")
        guard emulator == nil else { return }
        table.add(
            "our own hello, one every 20 ms",
            try await trickle("\(hello.origin)/hello", count: 200, pause: .milliseconds(20), server: hello.meter()),
            "alone and cold, as the eight exchanges of a login come")
    }

    /// - Returns: nil where nothing can count.
    static func countInstructions(_ programs: Programs) async throws -> Table? {
        guard let plugin = programs.plugin else { return nil }
        guard let emulator = Emulator(plugin: plugin) else {
            print("\nInstructions are not counted: there is no qemu for this machine on the PATH (Debian has it in qemu-user).")
            return nil
        }
        print("\nCounting instructions takes some minutes more.")
        fflush(nil)
        let servers = try await Servers(binary: programs.ostiary, under: emulator)
        defer { servers.stop() }
        var operations = try await measureOperations(servers, try await Provider(servers: servers), programs, under: emulator)
        try await Crowd(of: 8, servers: servers).measure([1, 8], logins: 40, into: &operations)
        operations.add(Bound.database, try await LiveLogins(40, servers: servers).outOfDatabase(passes: 5))
        operations.printCounts(title: "Servers: both processes per operation, user space alone, counted by an emulator")
        printWithoutIdle(operations)
        return operations
    }

    /// An operation takes so long under an emulator that what the servers do by themselves meanwhile counts.
    private static func printWithoutIdle(_ operations: Table) {
        guard let idle = operations[idle]?.instructions else { return }
        for name in [login, "AppLogin with PIN, and its stop", "enrolment with confirmation"] {
            guard let cost = operations[name], let instructions = cost.instructions, let seconds = cost.seconds else { continue }
            let own = (instructions - idle * seconds) / 1_000
            print(String(format: "  %.1f without what both do by themselves in its %.2f s  ", own, seconds) + name)
        }
    }
}
