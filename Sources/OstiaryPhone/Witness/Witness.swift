// Witness: what passes between the phone and the two servers of a demonstration, in the words of docs/protocol.
//
// Owns: a relay that stands before each server and hands on every byte, the names of the messages, which of their fields are shown, which are sealed
// and to whom. Leaves to others: whoever shows it (Demo), and every rule: nothing here changes or holds up a message.
// It opens what the authentication server opens, with that server's own keys, which the demonstration has because it made them. What is sealed to the
// phone or to the second-factor server stays sealed here too.
// Start reading here, then Relay, PhoneTap and SeenMessage.

import OstiaryProtocol
import Synchronization

/// Keeps what was heard between the parties of a demonstration, and tells whoever listens.
final class Witness: Sendable {
    /// Messages that are kept for whoever comes late; of more, the oldest go.
    static let most = 400

    private struct State {
        var messages: [WitnessedMessage] = []
        var count = 0
        var listeners: [Int: AsyncStream<WitnessedMessage>.Continuation] = [:]
        var nextListener = 0
        var isThiefAtWork = false
        /// Accounts, keys and sessions that came up first while no thief was at work, and those that an attack has brought.
        var visitorsNames: Set<SeenField> = []
        var thiefsNames: Set<SeenField> = []
        /// Requests of phones, byte for byte, while a thief records.
        var tape: [[UInt8]]?

        /// Whose a message is follows from whom it names: phones go on in the background, the visitor's while a thief is at work, and the thief's
        /// and his victim's afterwards. One that names nobody belongs to whoever is at work.
        mutating func isThiefs(_ names: Set<SeenField>) -> Bool {
            guard names.isDisjoint(with: thiefsNames) else { return true }
            guard isThiefAtWork, names.isDisjoint(with: visitorsNames) else {
                if !isThiefAtWork { visitorsNames.formUnion(names) }
                return false
            }
            thiefsNames.formUnion(names)
            return true
        }
    }

    private let state = Mutex(State())

    /// Notes a message; everybody who listens is told.
    func note(_ message: WitnessedMessage) {
        let (message, listeners) = state.withLock { state in
            state.count += 1
            var message = message
            message.number = state.count
            message.isThiefs = state.isThiefs(Set(message.fields.filter(\.isName)))
            state.messages.append(message)
            if state.messages.count > Self.most { state.messages.removeFirst() }
            return (message, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield(message) }
    }

    /// What is kept, and from then on everything that is heard.
    var messages: AsyncStream<WitnessedMessage> {
        let (stream, continuation) = AsyncStream.makeStream(of: WitnessedMessage.self)
        let id = state.withLock { state in
            for message in state.messages { continuation.yield(message) }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    /// What is kept, oldest first.
    var kept: [WitnessedMessage] { state.withLock(\.messages) }

    private func forget(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

    /// Runs an attack: what is heard meanwhile is told as the thief's, but for what names the visitor's own.
    func whileThiefWorks<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.isThiefAtWork = true }
        defer { state.withLock { $0.isThiefAtWork = false } }
        return try await body()
    }

    /// Begins to record the requests of phones as they travel.
    func startTape() { state.withLock { $0.tape = [] } }

    /// Ends the recording.
    /// - Returns: the requests, byte for byte.
    func endTape() -> [[UInt8]] {
        state.withLock { state in
            defer { state.tape = nil }
            return state.tape ?? []
        }
    }

    /// A request of a phone passes.
    func record(_ request: [UInt8]) { state.withLock { $0.tape?.append(request) } }
}
