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
    /// Sessions that began in this process, oldest first.
    var live: [LiveSession] = []
    /// The enrolment or login that is going on.
    var flow: Flow?
    /// The last second factor of an account, in memory only (protocol §6).
    var caches: [AccountID: LoginCache] = [:]
    /// Servers that were talked to, by root hash.
    var servers: [[UInt8]: ConnectedServer] = [:]
    var isWatching: Bool
    /// Tasks that wait for a confirmation or bring a message to a server.
    var errands: [UUID: Task<Void, Never>] = [:]

    init(configuration: Ostiary.Configuration, ports: Ports, hub: EventHub, snapshot: SnapshotBox) {
        self.configuration = configuration
        self.ports = ports
        self.hub = hub
        self.snapshot = snapshot
        isWatching = configuration.watchesSessions
    }

    /// Reads the store and clears up after a crash.
    func open() {
        do throws(OstiaryError) { try reread() } catch { emit(.error(error, session: nil)) }
        sweep()
    }

    /// The app let the SDK go: everything stays as it is, for the next process to take up. Nobody gave anything up, so no server is told so.
    func shutDown() {
        flow?.farewell = nil
        abort(.cancelled)
        for session in live { session.pinger?.cancel() }
        for errand in errands.values { errand.cancel() }
    }

    /// Tells, after the picture that the app reads was brought up to date.
    func emit(_ event: OstiaryEvent) {
        publish()
        hub.emit(event)
    }

    func publish() {
        snapshot.replace(Snapshot(accounts: stored?.shownAccounts, sessions: live.map(\.shown)))
    }

    func carryOut(_ command: Command) {
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
            case .manage(let operation, let account): try begin(operation, for: account)
            }
        } catch {
            emit(.error(error, session: command.session.flatMap { session($0)?.shown }))
        }
    }

    /// Runs something that outlives the call that asked for it.
    func runErrand(_ body: @escaping @Sendable (Engine) async -> Void) {
        let name = UUID()
        errands[name] = Task {
            await body(self)
            self.errands[name] = nil
        }
    }
}

extension Command {
    /// The session that a call is about.
    fileprivate var session: Session.ID? {
        switch self {
        case .setAccount(_, let id, _), .deny(let id, _), .stop(let id): id
        case .startUserInteraction(let id): id
        case .start, .secondFactor, .cancelSecondFactor, .stopAppLogin, .deleteAccount, .resume, .watch, .manage: nil
        }
    }
}
