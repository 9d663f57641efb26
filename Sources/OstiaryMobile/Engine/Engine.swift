import Foundation
import OstiaryProtocol

/// The one place where anything happens: holds all state, carries out calls in order, and runs at most one enrolment or login at a time.
///
/// The steps are in `Login.swift`, `Enrolment.swift` and `SecondFactorQuestion.swift`, each a straight function; what goes on after a
/// login is in `Presence.swift`.
actor Engine {
    let configuration: Ostiary.Configuration
    let ports: Ports
    let random: any RandomSource = SystemRandomSource()
    private let hub: EventHub
    private let snapshot: SnapshotBox

    /// The account document as it was read or written last; nil when it cannot be read.
    var stored: StoredState?
    var history: StoredHistory
    /// Sessions that began in this process, oldest first.
    var live: [LiveSession] = []
    /// The enrolment or login that is going on.
    var flow: Flow?
    /// The last second factor of an account, in memory only (protocol §6).
    var caches: [AccountID: LoginCache] = [:]
    /// Servers that were talked to, by root hash.
    var servers: [[UInt8]: ConnectedServer] = [:]
    /// The images of logins, by their hash.
    var logos: [[UInt8]: Data] = [:]
    let appLoginClock: AppLoginClock
    var wantsToWatch: Bool
    var isInBackground = false
    /// Tasks that wait for a confirmation or bring a message to a server.
    var errands: [UUID: Task<Void, Never>] = [:]
    /// The newest of what a page is told.
    var lastWord: Task<Void, Never>?

    init(configuration: Ostiary.Configuration, ports: Ports, hub: EventHub, snapshot: SnapshotBox, appLoginClock: AppLoginClock) {
        self.configuration = configuration
        self.ports = ports
        self.hub = hub
        self.snapshot = snapshot
        history = StoredHistory(decoding: (try? ports.history?.read()) ?? nil)
        self.appLoginClock = appLoginClock
        wantsToWatch = configuration.watchesSessions
    }

    /// Reads the store and clears up after a crash.
    func open() {
        do throws(OstiaryError) { try reread() } catch { emit(.error(error, session: nil)) }
        sweep()
    }

    /// The app let the SDK go: everything stays as it is, for the next process to take up. Nobody gave anything up, so no server is told so.
    func shutDown() {
        flow?.farewell = nil
        flow?.report = nil
        abort(.cancelled)
        for session in live {
            session.pinger?.cancel()
            session.guardian?.cancel()
        }
        for errand in errands.values { errand.cancel() }
    }

    /// Tells, after the picture that the app reads was brought up to date.
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

    func carryOut(_ command: Command) async {
        ports.log?.note(LogEntry(command))
        endAppLoginIfDue()
        do throws(OstiaryError) {
            switch command {
            case .start(let source): try begin(source)
            case .startUserInteraction(let id): try goOn(id)
            case .setAccount(let account, let session, let userInput): try confirm(account, session, userInput: userInput)
            case .secondFactor(let input): try take(input)
            case .cancelSecondFactor: try cancelSecondFactor()
            case .deny(let id, let notMe): try deny(id, notMe: notMe)
            case .stop(let id): try stop(id)
            case .stopAppLogin: try stopAppLogin()
            case .deleteAccount(let id): try delete(id)
            case .resume: resume()
            case .watch(let isWatching): watch(isWatching)
            case .enterBackground: enterBackground()
            case .enterForeground: enterForeground()
            case .token(let id): try refuseOffer(id)
            case .oneTimeCode(let id, _): try refuseOffer(id)
            case .clearHistory: try clearHistory()
            case .reset: try await reset()
            case .manage(let operation, let account): try begin(operation, for: account)
            }
        } catch {
            emit(.error(error, session: command.session.flatMap { session($0)?.shown }))
        }
    }

    /// Tokens and one-time codes: no server has them yet.
    private func refuseOffer(_ id: Session.ID) throws(OstiaryError) {
        guard session(id) != nil else { throw .wrongOrder }
        throw .notOffered
    }

    /// Runs something that outlives the call that asked for it.
    @discardableResult
    func runErrand(_ body: @escaping @Sendable (Engine) async -> Void) -> Task<Void, Never> {
        let name = UUID()
        let task = Task {
            await body(self)
            self.errands[name] = nil
        }
        errands[name] = task
        return task
    }
}
