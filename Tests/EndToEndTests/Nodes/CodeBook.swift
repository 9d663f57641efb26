import Synchronization

/// Codes of a run that are good once, beside what was seen of them: when each came about, and what was to come of it.
final class CodeBook: Sendable {
    private struct State {
        var begun: [String: Duration] = [:]
        var invitations: [Invitation] = []
        var enrolments: Set<String> = []
        var numbers: [String: Int] = [:]
        var sent: [LossyTransport.Sent] = []
    }

    private let state = Mutex(State())

    /// When each code was not yet good, by its key in the histories.
    var begun: [String: Duration] { state.withLock { $0.begun } }
    /// In the order in which they were made.
    var invitations: [Invitation] { state.withLock { $0.invitations } }
    /// The nonces of the browsers for which enrolment codes were drawn, or may have been.
    var enrolments: Set<String> { state.withLock { $0.enrolments } }
    /// What the phones sent that logged in after they had enrolled.
    var sent: [LossyTransport.Sent] { state.withLock { $0.sent } }

    /// From one on, of things of a sort.
    func nextNumber(of sort: String) -> Int {
        state.withLock { state in
            state.numbers[sort, default: 0] += 1
            return state.numbers[sort, default: 0]
        }
    }

    func note(_ key: String, begun moment: Duration) { state.withLock { $0.begun[key] = moment } }
    func note(enrolment nonce: String) { state.withLock { _ = $0.enrolments.insert(nonce) } }
    func note(_ invitation: Invitation) { state.withLock { $0.invitations.append(invitation) } }
    func note(sent messages: [LossyTransport.Sent]) { state.withLock { $0.sent += messages } }
}
