import Synchronization

/// An engine with the queue of calls to it and the picture of it that the synchronous properties read.
final class Core: Sendable {
    let engine: Engine
    let snapshot: SnapshotBox
    private let commands: AsyncStream<Command>.Continuation

    init(configuration: Ostiary.Configuration, ports: Ports, hub: EventHub) {
        let snapshot = SnapshotBox(accounts: ports.accounts)
        let engine = Engine(configuration: configuration, ports: ports, hub: hub, snapshot: snapshot)
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        self.engine = engine
        self.snapshot = snapshot
        commands = continuation
        Task {
            await engine.open()
            for await command in stream { await engine.carryOut(command) }
            await engine.shutDown()
        }
    }

    func send(_ command: Command) { commands.yield(command) }

    func shutDown() { commands.finish() }
}

/// What the synchronous properties see: never half of a change.
struct Snapshot: Sendable {
    /// Nil when the store cannot be read.
    var accounts: [Account]?
    var sessions: [Session] = []
}

final class SnapshotBox: Sendable {
    private let content: Mutex<Snapshot>

    /// Reads the accounts at once, so that the first question after `configure` has its answer.
    init(accounts store: any AccountStore) {
        let accounts: [Account]?
        do { accounts = try StoredState(decoding: try store.read()).shownAccounts } catch { accounts = nil }
        content = Mutex(Snapshot(accounts: accounts))
    }

    var value: Snapshot { content.withLock { $0 } }

    func replace(_ snapshot: Snapshot) { content.withLock { $0 = snapshot } }
}

extension StoredState {
    /// The accounts that an app is shown; one that the server did not acknowledge yet is not among them.
    var shownAccounts: [Account] {
        accounts.filter { $0.state != .enrolling }.map { Account($0, at: server($0.rootHash.bytes)) }
    }
}
