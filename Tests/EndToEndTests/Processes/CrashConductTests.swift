import Foundation
import OstiaryProgram
import OstiaryTesting
import Testing

/// What a process leaves that crashes, and what it says that may not have what it needs.
@Suite("Crashes and starts that cannot be", .serialized, .timeLimit(.minutes(10)))
struct CrashConductTests {
    @Test(
        "A crash of either server ends it at once: nothing of its memory is printed, and its port is free",
        arguments: [SIGILL, SIGSEGV, SIGABRT, SIGTRAP])
    func crash(_ number: Int32) async throws {
        let pair = try await ProcessesFixture.running()
        for server in [pair.authentication, pair.secondFactor] {
            let program = try #require(server.program)
            let said = program.complaintLines.count
            program.signal(number)
            #expect(try await program.end() == 128 + number)
            // What was under way at that moment may be logged; a backtrace has dozens of lines, and these words.
            #expect(program.complaintLines.count - said < 5, "\(program.complaints)")
            for word in ["Backtrac", "Registers", "rip 0x", "crashed"] { #expect(!program.complaints.contains(word), "\(word)") }
        }
        try await pair.start()
        try await pair.stop()
    }

    @Test("SIGQUIT stops either server as SIGTERM does")
    func quit() async throws {
        let pair = try await ProcessesFixture.running()
        for server in [pair.authentication, pair.secondFactor] {
            let program = try #require(server.program)
            program.signal(SIGQUIT)
            #expect(try await program.end() == 0, "\(program.complaints)")
        }
    }

    #if os(Linux)
    @Test("No server leaves a core file, whatever the limit that it was started with")
    func core() async throws {
        let pair = try await ProcessesFixture()
        try pair.secondFactor.start(shell: "ulimit -Sc \"$(ulimit -Hc)\" && exec \"$0\" \"$@\"")
        let program = try #require(pair.secondFactor.program)
        try await eventually("it runs: \(program.complaints)") { program.complaints.contains("server runs") }
        let limits = try String(contentsOfFile: "/proc/\(program.id)/limits", encoding: .utf8).split(separator: "\n")
        let line = try #require(limits.first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ")[4] == "0", "\(line)")
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
    }

    @Test("A92 a limit of file size that a server reaches ends it not: readiness says what it is, and all goes on when it is lifted")
    func fileSize() async throws {
        let pair = try await ProcessesFixture.running()
        let server = try #require(pair.secondFactor.program)
        func limit(_ bytes: String) async throws {
            // The upper bound stays, so that nobody needs a right to lift it.
            let program = try Program(["prlimit", "--pid", "\(server.id)", "--fsize=\(bytes):"], executable: "/usr/bin/env")
            #expect(try await program.end() == 0, "\(program.complaints)")
        }
        try await limit("4096")
        try await eventually("readiness names the limit: \(server.complaints)") {
            let told = try await pair.otherReport("/ready")
            return told.status == 503 && told.body.contains("may have 4096 bytes")
        }
        // Its help does not fit into a file of that size either: what is beyond is refused, and the process ends by itself.
        let help = try Program(["--help"], shell: "ulimit -f 0 && exec \"$0\" \"$@\" > \"\(pair.folder.file("help"))\"")
        #expect(try await help.end() != 128 + SIGXFSZ)
        try await limit("unlimited")
        try await eventually("all is well again") { try await pair.otherReport("/ready").status == 200 }
        try await pair.stop()
        #expect(try await server.end() == 0)
    }

    @Test(
        "With too few threads a command says so and ends: it neither stands still nor is ended without a word",
        arguments: [["second-factor", "--print-identity"], ["phone", "accounts"]])
    func threads(_ command: [String]) async throws {
        let folder = try TemporaryFolder()
        let place = command[0] == "phone" ? ["--home", folder.file("home")] : ["--data", folder.file("data")]
        // Each thread takes a stack of 1 GiB, of which the memory that it may have holds few.
        let program = try Program(command + place, shell: "ulimit -v 4194304 && ulimit -Ss 1048576 && exec \"$0\" \"$@\"")
        #expect(try await program.end() == 1, "\(program.output) \(program.complaints)")
        #expect(program.complaintLines.count == 1 && program.complaints.contains("threads beside its first"), "\(program.complaints)")
    }

    @Test("With little memory for addresses a server says so and ends, or runs: what it looks for at its start is what it takes")
    func addresses() async throws {
        let pair = try await ProcessesFixture()
        var running = 0
        for mebibytes in [210, 250, 290, 320, 360, 400, 460, 520] {
            try pair.secondFactor.start(shell: "ulimit -v \(mebibytes * 1024) && exec \"$0\" \"$@\"")
            let program = try #require(pair.secondFactor.program)
            try await eventually("with \(mebibytes) MiB: \(program.complaints)") { program.complaints.contains("server runs") || !program.isRunning }
            program.signal(SIGTERM)
            let code = try await program.end()
            if program.complaints.contains("server runs") {
                running += 1
                #expect(code == 0, "\(mebibytes): \(program.complaints)")
            } else {
                #expect(running == 0, "it ran with less than \(mebibytes)")
                #expect(code == 1 && program.complaintLines.count == 1, "\(mebibytes): \(code) \(program.complaints)")
                #expect(program.complaints.contains("ulimit -v"), "\(program.complaints)")
            }
        }
        #expect(running >= 2)
    }
    #endif

    @Test("What is missing is told: threads, or the memory that they leave")
    func reasons() throws {
        #expect(ThreadRoom.reason(10, of: 10) == nil)
        #expect(try #require(ThreadRoom.reason(9, of: 10)).contains("9 threads beside its first, and it needs 10"))
        let memory = try #require(ThreadRoom.reason(nil, of: 10))
        #expect(memory.contains("64 MiB") && memory.contains("ulimit -v") && !memory.contains("threads"))
    }

    @Test("What is counted is what there can be at a time, up to what was asked for")
    func count() {
        #expect(ThreadRoom.count(upTo: ThreadRoom.needed) == ThreadRoom.needed)
        #expect(ThreadRoom.count(upTo: 0) == 0)
    }
}
