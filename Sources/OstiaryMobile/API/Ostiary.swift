import Foundation
import Synchronization

// API: what an app sees of the SDK.
//
// Owns: the calls, the values that they take and tell, the events with the hub that spreads them, and the snapshot that the synchronous
// properties read. Leaves to others: whatever a call does (Commands/).
// Start reading here, then Ostiary+Calls, OstiaryEvent and Session.

/// The SDK: one object per app, usually `Ostiary.default`.
///
/// Every call here returns at once and never throws: what comes of it is told by the delegate, by notifications and by `events`, in
/// one order. Calls are carried out one after the other in the order in which they were made. The same things as `async throws`
/// calls are in `Ostiary+Async.swift`, under other names.
public final class Ostiary: Sendable {
    /// The app's own SDK, which needs `configure(_:ports:)` before anything else.
    public static let `default` = Ostiary()

    let hub = EventHub()
    private let configured = Mutex<Core?>(nil)
    private let observer = Mutex(WeakDelegate(delegate: nil))
    private let deliveries = Mutex<Task<Void, Never>?>(nil)

    private init() { deliver() }

    /// A further SDK with a home of its own.
    public init(configuration: Configuration = Configuration(), ports: Ports) {
        deliver()
        configure(configuration, ports: ports)
    }

    deinit {
        configured.withLock { $0 }?.shutDown()
        hub.finish()
    }

    /// Gives this object its settings and its platform, and reads the accounts. A second call changes nothing and reports
    /// `alreadyConfigured`.
    public func configure(_ configuration: Configuration = Configuration(), ports: Ports) {
        let isFirst = configured.withLock { core in
            guard core == nil else { return false }
            core = Core(configuration: configuration, ports: ports, hub: hub)
            return true
        }
        if !isFirst { hub.emit(.error(.alreadyConfigured, session: nil)) }
    }

    /// Told of everything that happens; held weakly, called one event at a time and on no particular thread.
    public var delegate: (any OstiaryDelegate)? {
        get { observer.withLock { $0.delegate } }
        set {
            observer.withLock { $0.delegate = newValue }
            hub.setDelegate(newValue)
        }
    }

    /// Everything that happens, in order. The first to ask gets what happened before as well; each asker gets every event.
    public var events: AsyncStream<OstiaryEvent> { hub.subscribe() }

    /// The accounts on this device, oldest first; nil when they cannot be read.
    public var accounts: [Account]? { snapshot(for: .person)?.accounts }

    /// The sessions that this process knows of, oldest first.
    public var sessions: [Session] { snapshot(for: .person)?.sessions ?? [] }

    /// A session as it is now; ask for it just before drawing it.
    public func session(_ id: Session.ID) -> Session? { sessions.first { $0.id == id } }

    /// The newest AppLogin of this SDK, logged in or not; nil before the first.
    public var appLoginSession: Session? { snapshot(for: .system)?.sessions.last { $0.isAppLogin } }

    func snapshot(for caller: Caller) -> Snapshot? { configured.withLock { $0 }?.snapshot(for: caller) }

    /// Hands a call to the engine behind all calls before it.
    func send(_ command: Command) {
        guard let core = configured.withLock({ $0 }) else {
            hub.emit(.error(.notConfigured, session: nil))
            return
        }
        core.send(command)
    }

    /// What carries calls out, for those that wait.
    func core(for caller: Caller = .person) throws(OstiaryError) -> Core {
        guard let core = configured.withLock({ $0 }) else { throw .notConfigured }
        core.note(caller)
        return core
    }

    private func deliver() {
        let stream = hub.deliveries
        let task = Task { [weak self] in
            for await event in stream {
                guard let self else { return }
                event.post()
                if let delegate = self.delegate { event.tell(delegate, of: self) }
            }
        }
        deliveries.withLock { $0 = task }
    }
}

private struct WeakDelegate {
    weak var delegate: (any OstiaryDelegate)?
}
