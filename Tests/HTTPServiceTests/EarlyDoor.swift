import Hummingbird
import Synchronization

@testable import HTTPService

/// A router with two addresses, and what answers the first of them early: whoever has the right key at the door.
enum EarlyDoor {
    static let get = "GET /door HTTP/1.1"
    static let door = line(get)
    static let other = line("GET /other HTTP/1.1")

    /// A head with the key.
    static func line(_ first: String, _ fields: String...) -> String {
        ([first, "Host: x", "X-Key: right"] + fields).map { "\($0)\r\n" }.joined() + "\r\n"
    }

    static func write(_ json: inout JSONWriter) { json.object { $0.member("door", "open <é>") } }

    /// How often something was answered early.
    final class Given: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        var early: EarlyAnswer { { self.answer(to: $0) } }

        private func answer(to request: EarlyRequest) -> [UInt8]? {
            guard request.address == "/door", request.only("x-key") == "right" else { return nil }
            state.withLock { $0 += 1 }
            return JSONWriter.bytes(write)
        }
    }

    static func router() -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/door") { request, _ -> Response in
            guard request.headers[.init("X-Key")!] == "right" else { throw ErrorResponse.unauthorized }
            try RequestQuery(request).check(knows: [])
            try await request.checkNoBody()
            return .json(write)
        }
        router.get("/other") { _, _ -> Response in
            await Task.yield()
            return .text("other")
        }
        return router
    }
}
