/// Where the SDK notes what it does. Called from any thread; return soon.
public protocol OstiaryLog: Sendable {
    func note(_ entry: LogEntry)
}

/// One thing that happened: names and outcomes, never a secret, a text from outside or the name of a person.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The app called.
        case call
        /// The app was told.
        case event
        /// A server was asked.
        case request
        /// Something was computed that takes a person's time.
        case work
    }

    public let kind: Kind
    /// What was called, told or asked.
    public let name: String
    /// What came of it; nil where nothing can.
    public let outcome: String?
    public let session: Session.ID?

    /// `event sessionLogin session=…`
    public var description: String {
        [kind.rawValue, name, outcome.map { "outcome=\($0)" }, session.map { "session=\($0)" }].compactMap { $0 }.joined(separator: " ")
    }
}

extension LogEntry {
    init(_ event: OstiaryEvent) {
        let (name, outcome, session) = event.summary
        self.init(kind: .event, name: name, outcome: outcome, session: session)
    }
}

extension OstiaryEvent {
    /// What a log may know of it.
    fileprivate var summary: (name: String, outcome: String?, session: Session.ID?) {
        switch self {
        case .otpAvailable(let session, let accounts): ("otpAvailable", "\(accounts.count) accounts", session.id)
        case .confirmLogin(let session, let accounts): ("confirmLogin", "\(accounts.count) accounts", session.id)
        case .confirmEnrol(let session, _, _): ("confirmEnrol", nil, session.id)
        case .enrolConfirmation(let session, _): ("enrolConfirmation", nil, session.id)
        case .secondFactorStarted(let factor): ("secondFactorStarted", factor.secondFactorInfo.context.rawValue, factor.session?.id)
        case .secondFactorUpdated(let factor): ("secondFactorUpdated", factor.secondFactorInfo.result?.rawValue, factor.session?.id)
        case .sessionLogin(let session): ("sessionLogin", nil, session.id)
        case .sessionStop(let session): ("sessionStop", session.ending?.rawValue, session.id)
        case .sessionUpdate(let session): ("sessionUpdate", session.state.rawValue, session.id)
        case .accountAdded: ("accountAdded", nil, nil)
        case .accountUpdated: ("accountUpdated", nil, nil)
        case .accountDeleted: ("accountDeleted", nil, nil)
        case .newDevice: ("newDevice", nil, nil)
        case .pinReplacedByBiometric: ("pinReplacedByBiometric", nil, nil)
        case .token(_, let session): ("token", nil, session.id)
        case .error(let error, let session): ("error", "\(error)", session?.id)
        }
    }
}
