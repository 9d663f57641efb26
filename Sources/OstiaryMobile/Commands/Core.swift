import Synchronization

// Commands: what an app calls for.
//
// Owns: the queue of calls, which of them are allowed now, the beginning and the end of a flow, and the calls that touch everything:
// stop, resume, reset. Leaves to others: what is done in a flow (Login/, Enrolment/, SecondFactor/).
// Start reading here, then Engine+Commands and Engine+Flows.

/// An engine with the queue of calls to it and the snapshot of it that the synchronous properties read.
final class Core: Sendable {
    let engine: Engine
    private let snapshot: SharedSnapshot
    private let appLoginClock: AppLoginClock
    let codes: OfflineCodes
    let keys: any KeyStore
    let clock: any DeviceClock
    private let commands: AsyncStream<Command>.Continuation

    init(configuration: Ostiary.Configuration, ports: Ports, hub: EventHub) {
        let snapshot = SharedSnapshot(Snapshot(stored: ports, configuration))
        let appLoginClock = AppLoginClock(configuration)
        let codes = OfflineCodes()
        let engine = Engine(
            configuration: configuration, ports: ports, hub: hub, snapshot: snapshot, appLoginClock: appLoginClock, codes: codes)
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        self.engine = engine
        self.snapshot = snapshot
        self.appLoginClock = appLoginClock
        self.codes = codes
        keys = ports.keys
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

    /// The newest snapshot, in which an AppLogin whose time is up, and a login that a one-time code ended, are over even before the engine came to say so.
    func snapshot(for caller: Caller) -> Snapshot {
        note(caller)
        var newest = snapshot.value
        if let ending = appLoginClock.ending(at: clock.monotonic) { newest.endAppLogin(as: ending) }
        newest.apply(codes, at: clock.monotonic)
        return newest
    }

    func note(_ caller: Caller) {
        switch caller {
        case .person: appLoginClock.noteActivity(at: clock.monotonic)
        case .system: break
        }
    }

    func shutDown() { commands.finish() }
}
