import NIOHTTP1

/// A request that can be answered before the routes, as far as its head says: a GET of HTTP/1.1 that has no body, expects nothing and leaves the connection as
/// it is. There is nothing else to know of one: what a route would do with it follows from its address and its fields.
package struct EarlyRequest: Sendable {
    let head: HTTPRequestHead
    /// As it was sent, query included.
    package var address: String { head.uri }

    /// Nil for any other request, also for one whose fields only might mean something to the connection.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .GET, head.version == .http1_1 else { return nil }
        for (name, value) in head.headers where !Self.isPlain(name, value) { return nil }
        self.head = head
    }

    /// The value of a field that is there once; nil where it is missing or comes again.
    /// - Parameter name: in lower case.
    package func only(_ name: StaticString) -> String? {
        var found: String?
        for (other, value) in head.headers where other.isWord(name) {
            guard found == nil else { return nil }
            found = value
        }
        return found
    }

    /// Whether a field is nothing to the connection. What nearly every client says changes nothing either: a connection of HTTP/1.1 stays.
    private static func isPlain(_ name: String, _ value: String) -> Bool {
        switch name.utf8.count {
        case 6: !name.isWord("expect")
        case 7: !name.isWord("upgrade") && !name.isWord("trailer")
        case 10: !name.isWord("connection") || value.isWord("keep-alive")
        case 14: !name.isWord("content-length")
        case 17: !name.isWord("transfer-encoding")
        default: true
        }
    }
}

/// Answers a request before the routes: the content, which is JSON of status 200 and kept by nobody; or nil, and the routes answer, as if nobody had been asked.
///
/// It is asked on the thread of the connection and waits for nobody. Whatever it is not sure of it leaves to the routes: every refusal, every fault.
package typealias EarlyAnswer = @Sendable (EarlyRequest) -> [UInt8]?
