import NIOCore
import NIOPosix

/// The threads of connections, as executors of tasks: a request is answered on the thread that read it and will write its answer, so that nobody has to be
/// woken for it (docs/decisions/0036).
///
/// What is done there lasts no longer than a signature or a short read, and waits by suspending. Anything else is done ``aside(_:)``.
struct ConnectionThreads: Sendable {
    /// Those of every listener of this process. They live as long as it does.
    static let ofThisProcess = ConnectionThreads(of: .singleton)

    private let executors: [ObjectIdentifier: LoopExecutor]

    private init(of group: MultiThreadedEventLoopGroup) {
        executors = Dictionary(uniqueKeysWithValues: group.makeIterator().map { (ObjectIdentifier($0), LoopExecutor($0)) })
    }

    /// Nil for a connection of other threads: its tasks run where tasks run.
    subscript(channel: any Channel) -> (any TaskExecutor)? { executors[ObjectIdentifier(channel.eventLoop)] }
}

/// Runs tasks on the thread of one event loop, between its connections' bytes.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        loop.execute { job.runSynchronously(on: executor) }
    }
}

/// Does on another thread what would keep that of its connection for long, and every other connection there waiting: what draws a key, makes a picture or
/// goes through a table.
package func aside<Value>(_ work: () async throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(globalConcurrentExecutor, operation: work)
}
