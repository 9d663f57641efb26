import Foundation
import Synchronization

/// LISTEN and NOTIFY on a connection of their own, with a thread of its own: from the first who listens or announces until the database is closed.
///
/// NOTIFY takes a lock of the whole database while its transaction commits, so it stands in none of the transactions that matter, and its own waits for
/// neither disk nor standby: it writes no row, and PostgreSQL makes sure of no commit that has written nothing. What is announced while one batch is under way goes out in the next. Lost, the connection is made again; then everybody here is told of the
/// gap, and everybody elsewhere, too, if something was to be said meanwhile.
final class PostgreSQLAnnouncements: Announcements {
    private struct State {
        var waiting = AnnouncementBatch()
        var listeners: [@Sendable (HeardAnnouncement) -> Void] = []
        var isRunning = false
        /// Whether what others say is heard now.
        var isListening = false
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private static let channel = "ostiary"

    private let connector: PostgreSQLConnector
    private let plan: AnnouncementPlan
    private let alarm = Alarm()
    private let state: Mutex<State>

    init(_ connector: PostgreSQLConnector) {
        self.connector = connector
        plan = connector.settings.announcing
        state = Mutex(State(waiting: AnnouncementBatch(most: plan.mostWaiting)))
    }

    func announce(_ note: [UInt8]) { change { $0.waiting.add(note) } }

    func listen(_ body: @Sendable @escaping (HeardAnnouncement) -> Void) {
        let isListening = change { state in
            state.listeners.append(body)
            return state.isListening
        }
        if isListening { body(.gap) }
    }

    /// Says what there is to say, where there is a connection, and lets go of it.
    func close() async {
        change(starts: false) { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isRunning { state.closing.append(continuation) }
                return !state.isRunning
            }
            if isOver { continuation.resume() }
        }
    }

    /// - Parameter starts: whether it is a reason to have a connection.
    /// - Returns: what `body` answers, from before the thread may have been started.
    @discardableResult
    private func change<Value: Sendable>(starts: Bool = true, _ body: (inout State) -> Value) -> Value {
        let (value, isFirst) = state.withLock { state in
            let value = body(&state)
            let isFirst = starts && !state.isRunning && !state.isClosed
            if isFirst { state.isRunning = true }
            return (value, isFirst)
        }
        if isFirst { startThread() }
        alarm.ring()
        return value
    }

    private func startThread() {
        let thread = Thread { self.serve() }
        thread.name = "announcements"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }
}

// MARK: The thread

extension PostgreSQLAnnouncements {
    private func serve() {
        var pause = plan.firstPause
        while !isClosed {
            let began = DispatchTime.now()
            if let link = try? open() {
                try? serve(link)
                state.withLock { state in
                    state.isListening = false
                    // What was under way may have been heard by nobody.
                    state.waiting.hasGap = true
                }
            }
            if began + .milliseconds(plan.longestPause) <= .now() { pause = plan.firstPause }
            rest(milliseconds: pause)
            pause = min(2 * pause, plan.longestPause)
        }
        let closers = state.withLock { state in
            state.isRunning = false
            state.listeners = []
            defer { state.closing = [] }
            return state.closing
        }
        for closer in closers { closer.resume() }
    }

    /// Waits for so long, or until the close, and for no other reason shorter.
    private func rest(milliseconds: Int) {
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        while !isClosed, let left = end.millisecondsLeft { alarm.wait(milliseconds: left) }
    }

    /// A connection that hears what is said from now on.
    private func open() throws -> PostgreSQLLink {
        let link = try connector.connect()
        // It is of this program, and says nothing of a step (`ProgramStatements`).
        try say(["SET application_name TO '\(connector.settings.program)@@announcements'", "LISTEN \(Self.channel)"], on: link)
        let listeners = state.withLock { state in
            state.isListening = true
            return state.listeners
        }
        for listener in listeners { listener(.gap) }
        return link
    }

    /// Says and hears until the end, and says before it what there is to say.
    private func serve(_ link: PostgreSQLLink) throws {
        while true {
            let isLast = isClosed
            let texts = state.withLock { $0.waiting.take() }
            if !texts.isEmpty { try say(texts.map { "NOTIFY \(Self.channel), '\($0)'" }, on: link) }
            tell(link.takeNotices().flatMap(AnnouncementBatch.read))
            if isLast { return }
            // A server that went without a word is missed, and a session that is another's.
            if try !link.waitForNews(or: alarm, milliseconds: plan.silence) { try connector.checkMark(of: link) }
        }
    }

    private func say(_ statements: [String], on link: PostgreSQLLink) throws {
        let answers = try link.exchange(statements.map(PostgreSQLLink.Message.once))
        if let fault = answers.lazy.compactMap(\.fault).first { throw fault }
        guard answers.count == statements.count else { throw PostgreSQLLink.Loss(reason: "an answer is missing") }
    }

    private func tell(_ heard: [HeardAnnouncement]) {
        guard !heard.isEmpty else { return }
        let listeners = state.withLock(\.listeners)
        for announcement in heard { for listener in listeners { listener(announcement) } }
    }
}

extension DispatchTime {
    /// Nil when it is over.
    fileprivate var millisecondsLeft: Int32? {
        let now = DispatchTime.now().uptimeNanoseconds
        return now < uptimeNanoseconds ? Int32((uptimeNanoseconds - now) / 1_000_000 + 1) : nil
    }
}

/// How patient the connection for announcements is.
package struct AnnouncementPlan: Sendable {
    /// Milliseconds before a connection that was lost is made again; twice as long each time that it can't be.
    package var firstPause = 50
    /// No pause is longer, in milliseconds.
    package var longestPause = 2_000
    /// Milliseconds in which nothing is said or heard, after which the server is asked whether it is still there.
    package var silence = 5_000
    /// Notes that wait to be sent. Beyond them they are forgotten, and everybody is told of a gap.
    package var mostWaiting = 1_000

    package init() {}
}
