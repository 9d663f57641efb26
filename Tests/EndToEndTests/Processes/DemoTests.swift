import Foundation
import OstiaryTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `ostiary demo`, as a newcomer meets it.
@Suite("The demonstration", .serialized)
struct DemoTests {
    @Test("It tells its whole story alone, one line a step")
    func story() async throws {
        let program = try Program(["demo", "--script"])
        #expect(try await program.end() == 0, "\(program.output) \(program.complaints)")
        #expect(program.lines.allSatisfy { $0.hasPrefix("\u{2713}") })
        let steps = [
            "scanned", "PIN is set", "enrolled", "AppLogin", "login page", "came back", "phone warns", "wrong PIN", "right PIN", "says alice",
            "penalty", "logged alice out", "nobody",
        ]
        var rest = program.lines[...]
        for step in steps { rest = rest.drop { !$0.contains(step) }[...] }
        #expect(!rest.isEmpty, "\(program.output)")
    }

    @Test("Its website sends people to enrol and to log in; the command lines that it prints work; Ctrl-C ends it, its servers and its data")
    func website() async throws {
        let (program, data, _) = try await started()
        let site = try #require(word(after: "website", in: program.output))

        #expect(try await text(site).contains("The door is closed"))
        #expect(try await text(site + "/enrol", form: "name=Bob+B").contains("<html"))
        #expect(try await text(site + "/login", form: "").contains("<html"))

        let line = try #require(program.lines.first { $0.contains(" enrol \u{27}") })
        let arguments = line.split(separator: " ").dropFirst().map { $0.trimmingCharacters(in: ["\u{27}"]) }
        let phone = try Program(arguments + ["--json", "--yes", "--pin-stdin"])
        try phone.type("274916\n")
        let code = try #require(try await phone.event("enrolConfirmation")["code"]?.string)
        #expect(code.count == 4)
        phone.signal(SIGTERM)
        try await phone.end()

        #expect(FileManager.default.fileExists(atPath: data))
        program.signal(SIGINT)
        #expect(try await program.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: data))
        await #expect(throws: (any Error).self) { try await text(site) }
    }

    @Test("A second Ctrl-C does not wait for a server that does not end, and leaves neither servers nor data", .timeLimit(.minutes(10)))
    func secondInterrupt() async throws {
        let (program, data, servers) = try await started()
        for server in servers { kill(server, SIGSTOP) }
        program.signal(SIGINT)
        // Two that come at once are one.
        try await eventually("it ends") {
            program.signal(SIGINT)
            return !program.isRunning
        }
        #expect(try await program.end() == 130, "\(program.complaints)")
        #expect(!FileManager.default.fileExists(atPath: data))
        for server in servers { #expect(kill(server, 0) != 0) }
    }

    @Test("Its servers hold no socket of the demonstration, and kill -9 of that ends them too")
    func killed() async throws {
        let (program, data, servers) = try await started()
        let sockets = try heldSockets(of: program.id)
        #expect(!sockets.isEmpty)
        for server in servers { #expect(try heldSockets(of: server).isDisjoint(with: sockets)) }
        program.signal(SIGKILL)
        try await program.end()
        try await eventually("both servers end") { servers.allSatisfy { kill($0, 0) != 0 } }
        try FileManager.default.removeItem(atPath: data)
    }

    /// One that shows its overview, its folder, and its two servers.
    private func started() async throws -> (program: Program, data: String, servers: [Int32]) {
        let program = try Program(["demo"])
        try await eventually("the overview: \(program.complaints)") { program.output.contains("/l#") && program.output.contains(" enrol \u{27}") }
        let data = try #require(word(after: "data", in: program.output))
        let servers = try runningServers(in: data)
        #expect(servers.count == 2)
        return (program, data, servers)
    }

    /// The programs that were started with a folder of this data folder.
    private func runningServers(in data: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { id in
            let line = (try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)) ?? ""
            return line.contains(data) && line.contains("--data")
        }
    }

    private func word(after name: String, in output: String) -> String? {
        output.split(separator: "\n").first { $0.contains("  \(name) ") }?.split(separator: " ").dropFirst().first.map(String.init)
    }

    private func text(_ address: String, form: String? = nil) async throws -> String {
        var request = URLRequest(url: try #require(URL(string: address)), timeoutInterval: 300)
        if let form {
            request.httpMethod = "POST"
            request.httpBody = Data(form.utf8)
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.setValue(address.split(separator: "/").prefix(2).joined(separator: "//"), forHTTPHeaderField: "Origin")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        try #require((response as? HTTPURLResponse)?.statusCode == 200, "\(address): \(String(decoding: data, as: UTF8.self))")
        return String(decoding: data, as: UTF8.self)
    }
}
