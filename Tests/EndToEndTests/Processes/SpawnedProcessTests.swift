import Foundation
import Synchronization
import Testing

@testable import OstiaryPhone

@Suite("A program that is started", .timeLimit(.minutes(10)))
struct SpawnedProcessTests {
    /// A socket that nothing marks as ours: so a listener's, a relay's or a call's is opened.
    private static func unmarkedSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    /// Opens and closes such sockets on a thread of its own, many at a time, until it is told to stop.
    private final class Opener: Sendable {
        private let isOver = Mutex(false)
        /// How often it has had them all open.
        private let rounds = Mutex(0)

        init() {
            Thread { [self] in
                while !isOver.withLock({ $0 }) {
                    let sockets = (0..<64).map { _ in SpawnedProcessTests.unmarkedSocket() }
                    rounds.withLock { $0 += 1 }
                    for socket in sockets where socket >= 0 { close(socket) }
                }
            }.start()
        }

        var hasBegun: Bool { rounds.withLock { $0 > 0 } }
        func stop() { isOver.withLock { $0 = true } }
    }

    @Test("It inherits three descriptors and no other: no socket that was open before, and none that another thread opens at that moment")
    func inheritsNothing() async throws {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let before = Self.unmarkedSocket()
        let opener = Opener()
        defer {
            opener.stop()
            close(before)
            close(nothing)
        }
        while !opener.hasBegun { await Task.yield() }
        for _ in 0..<40 {
            let program = try SpawnedProcess(
                "/bin/sleep", ["600"], environment: [:], input: nothing, output: nothing, errors: nothing)
            // But what it opens by itself: at first its loader reads libraries.
            let held = try heldDescriptors(of: program.id).filter { !$0.value.hasPrefix("/") || $0.key <= STDERR_FILENO }
            #expect(held == [0: "/dev/null", 1: "/dev/null", 2: "/dev/null"])
            program.send(SIGKILL)
        }
    }

    @Test("One that has ended is gone without anybody asking how, and its exit code is known")
    func reaped() async throws {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let program = try SpawnedProcess("/bin/sh", ["-c", "exit 7"], environment: [:], input: nothing, output: nothing, errors: nothing)
        // Of one that nobody has reaped the system still knows the id.
        try await eventually("it is gone") { kill(program.id, 0) != 0 }
        #expect(program.exitCode == 7 && !program.isRunning)
    }

    @Test("Those that are not to outlive us are gone at the end, and none is started after it")
    func dependants() throws {
        let programs = RunningPrograms()
        var id: pid_t = 0
        let started = programs.spawn(&id, by: Self.sleep)
        #expect(started == 0)
        #expect(kill(id, 0) == 0 && programs.reap(id) == nil)
        programs.end()
        #expect(kill(id, 0) != 0)
        // What would be started between the look at all and the end of the process.
        var (late, isStarted): (pid_t, Bool) = (0, false)
        let result = programs.spawn(&late) { _ in
            isStarted = true
            return 0
        }
        #expect(result == ECANCELED && !isStarted)
    }

    @Test("One that is gone is not signalled: its id may be another's")
    func gone() throws {
        let programs = RunningPrograms()
        var (id, other): (pid_t, pid_t) = (0, 0)
        let started = programs.spawn(&id, by: Self.sleep)
        #expect(started == 0)
        programs.end(id)
        #expect(kill(id, 0) != 0)
        // In the place of one that has such an id again.
        let startedOther = Self.sleep(&other)
        #expect(startedOther == 0)
        programs.end(other)
        programs.send(SIGKILL, to: other)
        #expect(programs.reap(other) == nil && kill(other, 0) == 0)
        kill(other, SIGKILL)
        var status: Int32 = 0
        waitpid(other, &status, 0)
    }

    private static func sleep(_ id: inout pid_t) -> Int32 {
        let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sleep", "600"].map { (word: String) in strdup(word) } + [nil]
        defer { for word in words { free(word) } }
        return posix_spawn(&id, "/bin/sleep", nil, nil, words, [nil])
    }
}
