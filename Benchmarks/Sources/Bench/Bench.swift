import Foundation

/// `Bench OSTIARY HELLO GUARDED [PLUGIN]`: the first three are release binaries. Prints the parts, the server's cost of each operation, and the ratios that
/// are aimed at. With the library of `CEmulatorCounts` and an emulator on the PATH it prints the instructions of each operation, too.
/// `Bench --phone HOME` is what it runs to measure an app that has just been started.
/// `Bench OSTIARY --logins COUNT PHONES` only logs in, and says which processes to look at with a profiler.
/// `Bench OSTIARY --pages COUNT SECONDS` only measures login pages that are open, and what they cost the server.
@main
struct Bench {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--phone" { return try await Phone.run(home: CommandLine.arguments[2]) }
        if CommandLine.arguments.count == 5, let count = Int(CommandLine.arguments[3]), let second = Int(CommandLine.arguments[4]), second > 0 {
            switch CommandLine.arguments[2] {
            case "--logins": return try await onlyLogIn(count, phones: second, binary: CommandLine.arguments[1])
            case "--pages" where count > 0: return try await onlyOpenPages(count, for: second, binary: CommandLine.arguments[1])
            default: break
            }
        }
        guard (4...5).contains(CommandLine.arguments.count) else {
            let usage = "usage: Bench PATH-OF-ostiary PATH-OF-Hello PATH-OF-Guarded [PATH-OF-libEmulatorCounts.so] (or: make bench)\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(2)
        }
        let parts = try await Parts.measureAll()
        parts.print(title: "Physical parts, one thread of this process")
        let servers = try await Servers(binary: CommandLine.arguments[1])
        defer { servers.stop() }
        let operations = try await measureOperations(servers, hello: CommandLine.arguments[2], guarded: CommandLine.arguments[3])
        operations.print(title: "Servers: processor time of both processes per operation, user space and kernel")
        let person = try Person(name: "last", servers: servers)
        try await person.enrol()
        try await Phone(person: person).measure()
        ratios(operations, parts)
        if CommandLine.arguments.count == 5 { try await countInstructions(Array(CommandLine.arguments[1...3]), plugin: CommandLine.arguments[4]) }
    }

    private static let idle = "both servers by themselves, for a second"

    /// An operation takes so long under an emulator that what the servers do by themselves meanwhile is more than a tenth of it.
    private static func printWithoutIdle(_ operations: Table) {
        guard let idle = operations[idle]?.instructions else { return }
        for name in ["QR login with PIN", "AppLogin with PIN, and its stop", "enrolment with confirmation"] {
            guard let cost = operations[name], let instructions = cost.instructions, let seconds = cost.seconds else { continue }
            let own = (instructions - idle * seconds) / 1_000
            print(String(format: "  %.1f without what both do by themselves in its %.2f s  ", own, seconds) + name)
        }
    }

    private static func countInstructions(_ binaries: [String], plugin: String) async throws {
        guard let emulator = Emulator(plugin: plugin) else {
            return print("\nInstructions are not counted: there is no qemu for this machine on the PATH (Debian has it in qemu-user).")
        }
        print("\nCounting instructions takes some minutes more.")
        fflush(nil)
        let servers = try await Servers(binary: binaries[0], under: emulator)
        defer { servers.stop() }
        let operations = try await measureOperations(servers, hello: binaries[1], guarded: binaries[2], under: emulator)
        operations.printCounts(title: "Servers: both processes per operation, user space alone, counted by an emulator")
        printWithoutIdle(operations)
        guard let session = operations["getSession"]?.instructions, let point = operations["our own hello + one point read"]?.instructions else {
            return
        }
        print(String(format: "  getSession / (hello + point read)  %.2f in instructions", session / point))
    }

    /// - Parameter emulator: what both servers run under; each operation is done less often then.
    private static func measureOperations(
        _ servers: Servers, hello: String, guarded: String, under emulator: Emulator? = nil
    ) async throws -> Table {
        var table = Table()
        let (requests, logins, enrolments) = emulator == nil ? (20_000, 40, 20) : (2_000, 40, 40)
        try await measureHello(hello, requests, under: emulator, &table)
        let person = try Person(name: "first", servers: servers)
        try await person.enrol()
        let nonce = try await person.logIn()
        let path = "\(servers.admin)/servers/\(servers.serverID)/sessions/"
        table.add(
            "getSession",
            try await load(path, headers: [("X-apikey", Servers.apiKey), ("X-nonce", nonce)], count: requests, server: servers.serveMeter))
        // Before the pages: a server still ends what was theirs for some seconds after them.
        table.add(Self.idle, try await metered(servers, 10) { _ in try await Task.sleep(for: .seconds(1)) }, "probes, looks, housekeeping")
        try await OpenPages(servers: servers, count: emulator == nil ? 100 : 20, seconds: emulator == nil ? 30 : 20).measure(into: &table)
        // Whatever comes about with the first of each is no part of the others.
        try await person.logInToApp()
        table.add(
            "QR login with PIN", try await metered(servers, logins) { _ in _ = try await person.logIn() },
            "REST call included; one after the other, so alone and cold")
        table.add("AppLogin with PIN, and its stop", try await metered(servers, logins) { _ in try await person.logInToApp() })
        table.add(
            "enrolment with confirmation",
            try await metered(servers, enrolments) { round in try await Person(name: "phone\(round)", servers: servers).enrol() })
        try await ServiceCalls(servers: servers).measure(logins, into: &table)
        let provider = try await Provider(servers: servers)
        try await provider.measure(requests: requests, turns: emulator == nil ? 200 : 40, into: &table)
        try await GuardedAPI(servers: servers, provider: provider, person: person).measure(
            guarded, requests: requests, under: emulator, into: &table)
        return table
    }

    private static func onlyLogIn(_ count: Int, phones: Int, binary: String) async throws {
        let servers = try await Servers(binary: binary)
        defer { servers.stop() }
        print("processes \(servers.processIdentifiers.map(String.init).joined(separator: ","))")
        fflush(nil)
        let crowd = try await Self.crowd(phones, servers)
        print(String(format: "%.2f ms of both servers for each login", try await logins(count, by: crowd, servers).nanoseconds / 1e6))
    }

    private static func onlyOpenPages(_ count: Int, for seconds: Int, binary: String) async throws {
        let servers = try await Servers(binary: binary)
        defer { servers.stop() }
        print("process \(servers.processIdentifiers[0])")
        fflush(nil)
        var table = Table()
        try await OpenPages(servers: servers, count: count, seconds: seconds).measure(into: &table)
        table.print(title: "The authentication server")
    }

    /// Enrolled phones.
    private static func crowd(_ count: Int, _ servers: Servers) async throws -> [Person] {
        var crowd: [Person] = []
        for number in 0..<count {
            crowd.append(try Person(name: "crowd\(number)", servers: servers))
            try await crowd[number].enrol()
        }
        return crowd
    }

    /// What one login costs when every phone of `crowd` logs in again and again, all at the same time.
    private static func logins(_ count: Int, by crowd: [Person], _ servers: Servers) async throws -> Cost {
        let rounds = max(1, count / crowd.count)
        return try await metered(servers, 1) { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in crowd {
                    group.addTask { try await person.logIn(times: rounds) }
                }
                try await group.waitForAll()
            }
        }.each(of: rounds * crowd.count)
    }

    /// The cost of both servers for one of `count` operations.
    static func metered(_ servers: Servers, _ count: Int, _ work: (Int) async throws -> Void) async throws -> Cost {
        let meters = servers.meter()
        let (before, begun) = (meters.map { $0.now() }, ContinuousClock.now)
        for round in 0..<count { try await work(round) }
        let costs = zip(meters, before).map { $0.now() - $1 }
        var sum = costs[0] + costs[1]
        sum.seconds = (ContinuousClock.now - begun) / .seconds(1)
        return sum.each(of: count)
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

    /// What a QR login with PIN is made of: three sealed exchanges with the phone and one inside the second, an evaluation, the signatures of five
    /// messages between the servers, six of the phone's, seven commits (the session's, and the six that `StatementCountTests` counts), and eight times
    /// an HTTP exchange (two of them have both ends in our servers).
    private static func loginParts(_ operations: Table, _ parts: Table) -> Cost {
        let counts: [(Table, String, Double)] = [
            (parts, "AP1 server opens a request", 4), (parts, "AP1 server signs and seals an answer", 4), (parts, "VOPRF evaluate with proof", 1),
            (parts, "Ed25519 sign", 5), (parts, "Ed25519 verify", 5), (parts, "P-256 verify", 6), (parts, "one durable row, alone", 7),
            (operations, "our own hello", 8),
        ]
        return counts.reduce(Cost(nanoseconds: 0, instructions: nil)) { sum, part in
            Cost(nanoseconds: sum.nanoseconds + (part.0[part.1]?.nanoseconds ?? 0) * part.2, instructions: nil)
        }
    }

    private static func ratios(_ operations: Table, _ parts: Table) {
        guard let session = operations["getSession"], let point = operations["our own hello + one point read"],
            let login = operations["QR login with PIN"]
        else { return }
        print("\nAims")
        print(String(format: "  getSession / (hello + point read)  %.2f in time (aim: at most 1.5)", session.nanoseconds / point.nanoseconds))
        if let a = session.instructions, let b = point.instructions {
            print(String(format: "                                     %.2f in instructions", a / b))
        }
        print(String(format: "  a whole QR login with PIN          %.2f ms of both servers (aim: at most 4)", login.nanoseconds / 1e6))
        print(String(format: "  the same as the sum of its parts   %.2f ms, each measured warm", loginParts(operations, parts).nanoseconds / 1e6))
        guardedRatios(operations, parts)
        providerRatios(operations, parts)
    }

    /// What an API pays for knowing who calls, beside what it can't do without: its answer, and one signature.
    private static func guardedRatios(_ operations: Table, _ parts: Table) {
        guard let hello = operations["our own hello"], let verify = parts["P-256 verify"], let token = operations["an API checks a JWT, ES256"],
            let nonce = operations["an API checks a webNonce that it remembers"]
        else { return }
        let bound = hello.nanoseconds + verify.nanoseconds
        print(String(format: "  (hello + P-256 verify) / a JWT     %.2f at an API (aim: at least 0.5)", bound / token.nanoseconds))
        print(String(format: "  hello / a webNonce, remembered     %.2f at an API", hello.nanoseconds / nonce.nanoseconds))
    }

    /// What the provider's operations are made of, beside what they cost: HTTP, signatures of tokens, and what has to be on the disk before an answer.
    private static func providerRatios(_ operations: Table, _ parts: Table) {
        let made: [(String, signatures: Double, verified: Double, commits: Double)] = [
            ("JWKS", 0, 0, 0), ("discovery", 0, 0, 0), ("client_credentials, ES256", 1, 0, 0), ("introspection of a JWT", 0, 1, 0),
            ("a code for who is logged in", 0, 0, 1), ("exchange of a code, with PKCE", 2, 0, 1), ("refresh", 2, 0, 1),
        ]
        guard let hello = operations["our own hello"], let sign = parts["P-256 sign"], let verify = parts["P-256 verify"],
            let commit = parts["one durable row, alone"]
        else { return }
        print("\nThe provider beside its parts: our hello, a signature of each token, one durable commit")
        for part in made {
            guard let cost = operations[part.0] else { continue }
            let sum =
                hello.nanoseconds + part.signatures * sign.nanoseconds + part.verified * verify.nanoseconds + part.commits * commit.nanoseconds
            print(String(format: "  %6.0f µs, its parts %6.0f µs  ", cost.nanoseconds / 1_000, sum / 1_000) + part.0)
        }
    }
}
