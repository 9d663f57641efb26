import Dispatch
import Synchronization

/// One thread as those know it who have work for it.
final class ConnectionThread: Sendable {
    private let job = Mutex<ConnectionJob?>(nil)
    private let work = DispatchSemaphore(value: 0)

    /// - Parameter job: nil at the end.
    func wake(with job: ConnectionJob?) {
        self.job.withLock { $0 = job }
        work.signal()
    }

    /// Nil at the end.
    func waitForJob() -> ConnectionJob? {
        work.wait()
        return job.withLock { job in
            defer { job = nil }
            return job
        }
    }
}
