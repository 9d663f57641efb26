import OstiaryMobile
import Synchronization

/// The SDK's own HTTP client, with every exchange counted when its answer is there. It can be cut off.
final class CountingTransport: Transport {
    struct Traffic {
        var exchanges = 0
        /// Bytes of bodies; HTTP adds its headers.
        var sent = 0
        var received = 0

        static func - (left: Traffic, right: Traffic) -> Traffic {
            Traffic(exchanges: left.exchanges - right.exchanges, sent: left.sent - right.sent, received: left.received - right.received)
        }
    }

    private let network = URLSessionTransport()
    private let counted = Mutex(Traffic())
    private let cut = Mutex(false)

    /// Whether there is no network.
    var isCut: Bool {
        get { cut.withLock { $0 } }
        set { cut.withLock { $0 = newValue } }
    }

    var traffic: Traffic { counted.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard !isCut else { throw .unreachable }
        let response = try await network.send(request)
        counted.withLock { traffic in
            traffic.exchanges += 1
            traffic.sent += request.body?.count ?? 0
            traffic.received += response.body.count
        }
        return response
    }
}
