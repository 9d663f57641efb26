import Dispatch

/// Runs a task on a thread outside the shared pool, where it may block.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "own thread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
