import Foundation
import Testing

@testable import OstiaryPhone

@Suite("A program whose end is waited for", .timeLimit(.minutes(10)))
struct SpawnedProcessWaitTests {
    /// More than these tests may take: one in which somebody is not told fails.
    private static let patience = Duration.seconds(900)
    private static let killed: Int32 = 128 + SIGKILL

    /// Runs until it is killed.
    private static func sleeping() throws -> SpawnedProcess {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        return try SpawnedProcess("/bin/sleep", ["3600"], environment: [:], input: nothing, output: nothing, errors: nothing)
    }

    /// Returns when those who were about to wait do, and it runs on.
    private static func leave(_ program: SpawnedProcess) async {
        #expect(await program.wait(for: .milliseconds(50)) == nil)
    }

    @Test("All that wait are told of the end, also when another has lost patience, and nobody has to look")
    func several() async throws {
        let program = try Self.sleeping()
        await withTaskGroup(of: Int32?.self) { waiting in
            for _ in 0..<8 { waiting.addTask { await program.wait(for: Self.patience) } }
            await Self.leave(program)
            program.send(SIGKILL)
            for await code in waiting { #expect(code == Self.killed) }
        }
    }

    @Test("Whoever waits after the end is told at once, also without any patience, for which one that runs has not ended")
    func afterwards() async throws {
        let program = try Self.sleeping()
        #expect(await program.wait(for: .zero) == nil)
        program.send(SIGKILL)
        for patience in [Self.patience, Self.patience, .zero] { #expect(await program.wait(for: patience) == Self.killed) }
    }

    @Test("Who is cancelled, before waiting or while, waits on: whoever stops programs wants them stopped. Others are told as ever")
    func cancelled() async throws {
        let program = try Self.sleeping()
        let waiting = (0..<3).map { _ in Task { await program.wait(for: Self.patience) } }
        waiting[0].cancel()
        await Self.leave(program)
        waiting[1].cancel()
        await Self.leave(program)
        program.send(SIGKILL)
        for task in waiting { #expect(await task.value == Self.killed) }
    }
}
