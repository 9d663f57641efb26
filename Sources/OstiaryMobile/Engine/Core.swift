import Synchronization

/// An engine with the queue of calls to it and the picture of it that the synchronous properties read.
final class Core: Sendable {
    let engine: Engine
    private let snapshot: SnapshotBox
    private let appLoginClock: AppLoginClock
    private let clock: any DeviceClock
    private let commands: AsyncStream<Command>.Continuation

    init(configuration: Ostiary.Configuration, ports: Ports, hub: EventHub) {
        let snapshot = SnapshotBox(configuration, ports)
        let appLoginClock = AppLoginClock(configuration)
        let engine = Engine(configuration: configuration, ports: ports, hub: hub, snapshot: snapshot, appLoginClock: appLoginClock)
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        self.engine = engine
        self.snapshot = snapshot
        self.appLoginClock = appLoginClock
        clock = ports.clock
        commands = continuation
        Task {
            await engine.open()
            for await command in stream { await engine.carryOut(command) }
            await engine.shutDown()
        }
    }

    func send(_ command: Command) {
        note(command.caller)
        commands.yield(command)
    }

    /// The newest picture, in which an AppLogin whose time is up is over even before the engine came to say so.
    func picture(for caller: Caller) -> Snapshot {
        note(caller)
        var picture = snapshot.value
        if let ending = appLoginClock.ending(at: clock.monotonic) { picture.endAppLogin(as: ending) }
        return picture
    }

    func note(_ caller: Caller) {
        switch caller {
        case .person: appLoginClock.noteActivity(at: clock.monotonic)
        case .system: break
        }
    }

    func shutDown() { commands.finish() }
}

/// What the synchronous properties see: never half of a change.
struct Snapshot: Sendable {
    /// Nil when the store cannot be read.
    var accounts: [Account]?
    var sessions: [Session] = []
    var history: [HistoryItem] = []

    mutating func endAppLogin(as ending: Session.Ending) {
        for index in sessions.indices where sessions[index].isAppLogin && sessions[index].isLoggedIn { sessions[index].end(as: ending) }
    }
}

final class SnapshotBox: Sendable {
    private let content: Mutex<Snapshot>

    /// Reads what is stored at once, so that the first question after `configure` has its answer.
    init(_ configuration: Ostiary.Configuration, _ ports: Ports) {
        let state: StoredState?
        do { state = try StoredState(decoding: try ports.accounts.read()) } catch { state = nil }
        let history = StoredHistory(decoding: (try? ports.history?.read()) ?? nil)
        let watched = Set(state?.sessions.map(\.id) ?? [])
        content = Mutex(
            Snapshot(
                accounts: state?.shownAccounts,
                history: history.shown(watched: watched, expiry: configuration.historyExpiry, at: ports.clock.wall)))
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
