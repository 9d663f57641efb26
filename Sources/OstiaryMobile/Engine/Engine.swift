import Foundation
import OstiaryProtocol

// Engine: the one actor, and what it can do without asking a server.
//
// Owns: all state (accounts as they are stored, live sessions, the flow that runs, servers that were talked to), how each of them
// changes, and how the app is told. Leaves to others: what a flow does, which the rooms above write as extensions of the actor. They
// refer to this room, and it to none of them.
// Start reading here, then Flow, LiveSession and Engine+Store.

/// The one place where anything happens: holds all state, carries out calls in order, and runs at most one enrolment or login at a time.
///
/// What an app calls for is carried out in Commands/.
actor Engine {
    let configuration: Ostiary.Configuration
    let ports: Ports
    let random: any RandomSource = SystemRandomSource()
    private let hub: EventHub
    private let snapshot: SharedSnapshot

    /// The account document as it was read or written last; nil when it cannot be read.
    var stored: StoredState?
    var history: StoredHistory
    /// Sessions that began in this process, oldest first.
    var live: [LiveSession] = []
    /// The enrolment or login that is going on.
    var flow: Flow? {
        didSet { if flow == nil, oldValue != nil, mayHaveWaiting { lookForWaiting() } }
    }
    /// Whether a login may wait that was not begun because another was going on.
    var mayHaveWaiting = false
    /// The links of waiting logins that were begun here, the newest last.
    var begunWaiting: [[UInt8]] = []
    var isFetchingWaiting = false
    /// How waiting logins are looked for; Commands/ says so when the SDK opens.
    var looksForWaiting: (@Sendable (Engine) async -> Void)?
    /// The last second factor of an account, in memory only (protocol §6).
    var caches: [AccountID: FactorCache] = [:]
    /// Servers that were talked to, by root hash.
    var servers: [[UInt8]: ConnectedServer] = [:]
    /// The images of logins, by their hash.
    var logos: [[UInt8]: Data] = [:]
    let appLoginClock: AppLoginClock
    /// Logins that a one-time code can take the place of.
    let codes: OfflineCodes
    var wantsToWatch: Bool
    var isInBackground = false
    /// Tasks that wait for a confirmation or bring a message to a server.
    var backgroundTasks: [UUID: Task<Void, Never>] = [:]
    /// The newest of what a page is told.
    var lastWord: Task<Void, Never>?
    /// Whether a task asks again and again what became of logins whose answers were not heard.
    var isFindingOut = false

    init(
        configuration: Ostiary.Configuration, ports: Ports, hub: EventHub, snapshot: SharedSnapshot, appLoginClock: AppLoginClock, codes: OfflineCodes
    ) {
        self.configuration = configuration
        self.ports = ports
        self.hub = hub
        self.snapshot = snapshot
        history = StoredHistory(decoding: (try? ports.history?.read()) ?? nil)
        self.appLoginClock = appLoginClock
        self.codes = codes
        wantsToWatch = configuration.watchesSessions
    }

    /// The app let the SDK go: everything stays as it is, for the next process to take up. Nobody gave anything up, so no server is told so.
    func shutDown() {
        flow?.onAbort = nil
        flow?.report = nil
        abort(.cancelled)
        for session in live {
            session.pinger?.cancel()
            session.guardian?.cancel()
        }
        for task in backgroundTasks.values { task.cancel() }
    }

    /// Tells, after the snapshot that the app reads was brought up to date.
    func emit(_ event: OstiaryEvent) {
        publish()
        ports.log?.note(LogEntry(event))
        hub.emit(event)
    }

    /// Whether the app hears what is emitted.
    var isHeard: Bool { hub.isHeard }

    func publish() {
        snapshot.replace(Snapshot(accounts: stored?.shownAccounts, sessions: live.map(\.shown), history: shownHistory))
    }

    /// A login may wait, and can be begun.
    func lookForWaiting() { if let looksForWaiting { runInBackground(looksForWaiting) } }

    /// Runs something that outlives the call that asked for it.
    @discardableResult
    func runInBackground(_ body: @escaping @Sendable (Engine) async -> Void) -> Task<Void, Never> {
        let name = UUID()
        let task = Task {
            await body(self)
            self.backgroundTasks[name] = nil
        }
        backgroundTasks[name] = task
        return task
    }
}
