import Foundation
import OstiaryMobile

/// A phone's way to one node, whichever a balancer would choose.
struct PinnedTransport: Transport {
    let node: NodesFixture.Node
    private let base = URLSessionTransport()

    init(to node: NodesFixture.Node) { self.node = node }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        parts?.port = node.publicPort
        guard let url = parts?.url else { throw .addressRefused }
        return try await base.send(
            TransportRequest(url: url, body: request.body, timeout: request.timeout, fields: request.fields, answerFields: request.answerFields))
    }
}
