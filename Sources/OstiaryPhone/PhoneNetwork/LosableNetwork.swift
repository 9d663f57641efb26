import OstiaryMobile
import Synchronization

/// A way to the servers that is lost on request, so that it can be played what a phone does without one: so many calls arrive, and none after them.
final class LosableNetwork: Transport {
    private let base: any Transport
    private let left: Mutex<Int>

    init(_ base: any Transport, lostAfter calls: Int) {
        self.base = base
        left = Mutex(calls)
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let isThere = left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
        guard isThere else { throw .unreachable }
        return try await base.send(request)
    }
}
