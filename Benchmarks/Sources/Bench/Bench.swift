import Foundation

/// `Bench OSTIARY HELLO GUARDED [PLUGIN] [--peers FOLDER] [--json FILE]`: the first three are release binaries. Prints the parts, the server's cost of each
/// operation, and the ratios that are aimed at. With the library of `CEmulatorCounts` and an emulator on the PATH it prints the instructions of each operation
/// and what a login is made of, too; with the folder `Benchmarks`, what nginx and Glewlwyd cost beside. FILE gets all figures.
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
        guard let programs = Programs(CommandLine.arguments.dropFirst()) else {
            let usage = "usage: Bench OSTIARY HELLO GUARDED [LIBRARY-THAT-COUNTS] [--peers FOLDER] [--json FILE] (or: make bench)\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(2)
        }
        try await measureAll(programs)
    }

    private static func measureAll(_ programs: Programs) async throws {
        var figures = Figures()
        let parts = try await Parts.measureAll()
        parts.print(title: "Physical parts, one thread of this process")
        figures.add("parts", parts)
        let measured = try await measureTimes(programs, &figures)
        let counted = try await countInstructions(programs)
        if let counted { figures.add("counted", counted) }
        figures.add(ratios: ratios(measured.operations, parts, counted))
        let aims = Self.aims(measured, parts, counted)
        Aim.print(aims)
        figures.add(aims: aims)
        guard let file = programs.figures else { return }
        try figures.write(to: file, of: programs.ostiary)
        print("\nAll figures are in \(file).")
    }

    /// What was measured by time.
    struct Measured {
        let operations: Table
        let bounds: Table
        let crowds: Table
    }

    private static func measureTimes(_ programs: Programs, _ figures: inout Figures) async throws -> Measured {
        let servers = try await Servers(binary: programs.ostiary)
        defer { servers.stop() }
        var calibration = Table()
        Calibration.measure("before", into: &calibration)
        // Once: its registry tells no secret a second time.
        let provider = try await Provider(servers: servers)
        let operations = try await measureOperations(servers, provider, programs)
        operations.print(title: "Servers: processor time of both processes per operation, user space and kernel")
        figures.add("operations", operations)
        // Beside it in the same minute, so that what slows the one slows the other.
        Calibration.measure("beside nginx", into: &calibration)
        let bounds = try await Bound(servers: servers, provider: provider, programs: programs).measure()
        bounds.print(title: "getSession beside what bounds it: 8 connections, median of \(Bound.rounds) rounds in turn (least to most)")
        figures.add("bounds", bounds)
        // Behind it, since phones keep alive what they logged in to.
        var crowds = Table()
        try await Crowd(of: 64, servers: servers).measure([1, 8, 32, 64], into: &crowds)
        crowds.print(title: "Phones at once, their PINs stretched ahead: processor time of both servers for one login")
        figures.add("crowds", crowds)
        Calibration.measure("after", into: &calibration)
        calibration.print(title: "OpenSSL on this machine, one thread, between all that: as calibration")
        figures.add("calibration", calibration)
        let person = try Person(name: "last", servers: servers)
        try await person.enrol()
        figures.phone = try await Phone(person: person).measure()
        return Measured(operations: operations, bounds: bounds, crowds: crowds)
    }

    private static func onlyLogIn(_ count: Int, phones: Int, binary: String) async throws {
        let servers = try await Servers(binary: binary)
        defer { servers.stop() }
        print("processes \(servers.processIdentifiers.map(String.init).joined(separator: ","))")
        fflush(nil)
        var table = Table()
        try await Crowd(of: phones, servers: servers).measure([phones], logins: count, into: &table)
        table.print(title: "Processor time of both servers for one login")
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
}

/// What is measured, and what measures it.
struct Programs: Sendable {
    let ostiary: String
    let hello: String
    let guarded: String
    /// The library of `CEmulatorCounts`; nil where instructions are not counted.
    private(set) var plugin: String?
    /// The folder with the scripts that run peers; nil for none.
    private(set) var peers: String?
    /// Where the figures go; nil for nowhere.
    private(set) var figures: String?

    /// - Returns: nil for arguments that it does not understand.
    init?(_ arguments: some Collection<String>) {
        var (paths, rest) = ([String](), Array(arguments))
        while let argument = rest.first {
            rest.removeFirst()
            guard argument.hasPrefix("--") else {
                paths.append(argument)
                continue
            }
            guard let value = rest.first else { return nil }
            rest.removeFirst()
            switch argument {
            case "--peers": peers = value
            case "--json": figures = value
            default: return nil
            }
        }
        guard (3...4).contains(paths.count) else { return nil }
        (ostiary, hello, guarded) = (paths[0], paths[1], paths[2])
        if paths.count == 4 { plugin = paths[3] }
    }
}
