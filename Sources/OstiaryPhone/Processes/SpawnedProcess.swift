import Foundation
import HTTPService

/// A program that we started, known by its id. It inherits three descriptors and nothing else: no open file of ours, no blocked or ignored signal,
/// and not our process group, so that Ctrl-C reaches us alone.
///
/// Not Foundation's `Process`: that one learns of an end through a descriptor which a program that another thread starts at the same moment may
/// inherit, and then it takes the first for running until the second has ended too.
final class SpawnedProcess: Sendable {
    let id: pid_t
    /// The exit code once it has ended. While it is held still nobody reaps the program.
    private let ending = AwaitedValue<Int32?>(nil)
    /// Among which it runs.
    private let programs: RunningPrograms
    private static let dependants = RunningPrograms()
    private static let others = RunningPrograms()

    /// - Parameters:
    ///   - isDependant: whether ``endDependants()`` is about it.
    ///   - input: descriptor that becomes its standard input; `output` and `errors` likewise. They may be closed here afterwards.
    ///   - environment: all that it gets.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32,
        isDependant: Bool = false
    ) throws(SpawnError) {
        var setup = SpawnSetup()
        defer { setup.destroy() }
        let connected = setup.connect(input: input, output: output, errors: errors)
        guard connected == 0 else { throw SpawnError(program: executable, reason: String(cString: strerror(connected))) }
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        programs = isDependant ? Self.dependants : Self.others
        var child: pid_t = 0
        let result = programs.spawn(&child) { posix_spawn(&$0, executable, &setup.actions, &setup.attributes, words, variables) }
        guard result == 0 else { throw SpawnError(program: executable, reason: String(cString: strerror(result))) }
        id = child
        reapAtItsEnd()
    }

    /// Without being asked: an end that nobody looks at would stay, and keep whoever waits for any program of this process from sleeping. Those
    /// who wait are told.
    private func reapAtItsEnd() {
        Thread { [id, weak self] in
            var what = siginfo_t()
            // It is left as it is, so that its id is nobody else's until it is reaped under the lock of all.
            while waitid(P_PID, id_t(id), &what, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            _ = self?.exitCode
        }.start()
    }

    /// A program that nobody holds any more is ended.
    deinit {
        if isRunning { programs.end(id) }
    }

    /// Ends them at once, and returns when they are gone: for a process that ends at once itself, and is to leave nothing behind.
    static func endDependants() { dependants.end() }

    var isRunning: Bool { exitCode == nil }

    /// Nil while it runs; 128 + n when signal n ended it.
    var exitCode: Int32? {
        ending.change { ending in
            guard ending == nil, let status = programs.reap(id) else { return }
            let signal = status & 0x7F
            ending = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        }
        return ending.value
    }

    /// Does nothing once it has ended: its id may be another's by then.
    func send(_ signal: Int32) {
        ending.change { ending in
            if ending == nil { programs.send(signal, to: id) }
        }
    }

    /// Waits for the end, also in a task that was cancelled: whoever stops programs wants them stopped.
    /// - Returns: the exit code, or nil when it still runs after `patience`.
    func wait(for patience: Duration) async -> Int32? {
        // In a task of its own, which nobody cancels.
        await Task { [ending] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await ending.wait { $0 != nil } }
                group.addTask { try? await Task.sleep(for: patience) }
                await group.next()
                group.cancelAll()
            }
        }.value
        return exitCode
    }
}

/// Why a program was not started.
struct SpawnError: Error, Equatable, CustomStringConvertible {
    let program: String
    let reason: String

    var description: String { "cannot start \(program): \(reason)" }
}
