import OstiaryMobile
import OstiaryTesting
import Synchronization

/// A phone's way to the nodes on which answers get lost and messages arrive twice: the phone asks again, at whichever node has its turn then. It keeps what
/// was sent.
final class LossyTransport: Transport {
    struct Sent: Sendable {
        let bytes: [UInt8]
        let moment: ContinuousClock.Instant
    }

    private enum Fate {
        case heard
        /// It arrives, and nobody hears what became of it.
        case unheard
        /// It arrives at two nodes at once, by two ways.
        case twice
        case undelivered
    }

    /// What gets lost.
    private enum Losses {
        case some
        /// Every other answer: whoever asks again, as nobody heard of the first, hears of the second.
        case everyOther(isNext: Bool)
        case none
    }

    private struct State {
        var random: SplitMix
        var losses = Losses.some
        /// Messages until the line breaks off; nil where it does not.
        var left: Int?
        var sent: [Sent] = []
    }

    private let base: any Transport
    /// By which the second of two copies goes.
    private let other: any Transport
    private let state: Mutex<State>

    /// - Parameters:
    ///   - base: the way that it stands before.
    ///   - other: the way of the second of two copies; nil for the same one.
    init(seed: UInt64, by base: any Transport = URLSessionTransport(), copiesBy other: (any Transport)? = nil) {
        (self.base, self.other) = (base, other ?? base)
        state = Mutex(State(random: SplitMix(seed: seed)))
    }

    /// Every message that was given to it, in the order in which it was.
    var sent: [Sent] { state.withLock { $0.sent } }

    /// From now on nothing is lost on this way.
    func calmDown() { state.withLock { ($0.losses, $0.left) = (.none, nil) } }

    /// From now on every other answer is lost, that to the next message first, and nothing else is.
    func loseEveryOther() { state.withLock { ($0.losses, $0.left) = (.everyOther(isNext: true), nil) } }

    /// Breaks off with a message that arrives, after so many others.
    func breakOff(after count: Int) { state.withLock { $0.left = count } }
    func mend() { state.withLock { $0.left = nil } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        switch fate(of: request) {
        case .heard: return try await base.send(request)
        case .unheard:
            _ = try await base.send(request)
            throw .unreachable
        case .twice:
            let copy = Task { try? await self.other.send(request) }
            let answer = try await base.send(request)
            _ = await copy.value
            return answer
        case .undelivered: throw .unreachable
        }
    }

    /// Only messages of AP1 may be sent again: calls for tokens have fields of their own, and a code is good once.
    private func fate(of request: TransportRequest) -> Fate {
        guard let body = request.body, request.fields.isEmpty else { return .heard }
        return state.withLock { state in
            if let left = state.left {
                state.left = left - 1
                guard left >= 0 else { return .undelivered }
                state.sent.append(Sent(bytes: body, moment: .now))
                return left == 0 ? .unheard : .heard
            }
            state.sent.append(Sent(bytes: body, moment: .now))
            switch state.losses {
            case .none: return .heard
            case .everyOther(let isNext):
                state.losses = .everyOther(isNext: !isNext)
                return isNext ? .unheard : .heard
            case .some:
                return switch Int.random(in: 0..<10, using: &state.random) {
                case 0, 1: .unheard
                case 2: .twice
                default: .heard
                }
            }
        }
    }
}
