import Dispatch

/// Runs a task on a thread outside the shared pool, where it may block, or compute for seconds.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "own thread")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}

/// Computes for long on a thread of its own. The shared pool has a thread for each core: while all compute, every test in the process stands still,
/// and what was to answer within seconds does not.
package func onOwnThread<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(OwnThread()) { try body() }
}
