import Logging
import Synchronization

/// Tells the operator that a limit was met, and that it is over: once each, and never for each connection or request that meets it.
///
/// What is met and over again within a minute of the last line is not told again: a limit at its edge would fill the log.
package final class LimitLog: Sendable {
    package enum Limit: String, Sendable, CaseIterable {
        case total = "as many connections as there may be: new ones wait"
        case peer = "one address has as many connections as it may: more are closed; behind a proxy see OSTIARY_MAX_CONNECTIONS_PER_PEER"
        case descriptors = "the system has no descriptor left: accepting pauses"
        case requests = "a connection has as many requests as may wait for their answers: it is closed"
        case bodies = "unfinished requests hold as much memory as they may: more are told to come again"
        case streams = "as many event streams are open as there may be: more are told to come again"
        case peerStreams = "one address has as many event streams as it may: more are told to come again; a proxy has all by a Unix socket"
    }

    private struct State {
        var isMet = false
        var toldAt: ContinuousClock.Instant?
        /// Whether the end has to be told: its beginning was.
        var owesEnd = false
    }

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let states = Mutex<[Limit: State]>([:])
    private static let silence = Duration.seconds(60)

    package init(logger: Logger, listener: String, now: @Sendable @escaping () -> ContinuousClock.Instant = { .now }) {
        var logger = logger
        logger[metadataKey: "listener"] = "\(listener)"
        self.logger = logger
        self.now = now
    }

    /// The limit keeps somebody out.
    package func met(_ limit: Limit, _ metadata: Logger.Metadata = [:]) {
        let isNews = states.withLock { states in
            var state = states[limit, default: State()]
            defer { states[limit] = state }
            guard !state.isMet else { return false }
            state.isMet = true
            if let toldAt = state.toldAt, now() - toldAt < Self.silence { return false }
            state.toldAt = now()
            state.owesEnd = true
            return true
        }
        if isNews { logger.warning("limit met: \(limit.rawValue)", metadata: metadata) }
    }

    /// There is room again, and not just at the edge.
    package func over(_ limit: Limit) {
        let isNews = states.withLock { states in
            guard let state = states[limit], state.isMet else { return false }
            states[limit] = State(isMet: false, toldAt: state.toldAt, owesEnd: false)
            return state.owesEnd
        }
        if isNews { logger.notice("limit is over: \(limit.rawValue.prefix { $0 != ":" })") }
    }
}
