import HTTPService
import NIOCore

/// Server-sent events as text (HTML Living Standard §9.2).
enum EventStreamText {
    /// One event; the data is one line of JSON.
    static func event(_ name: StaticString, _ write: (inout JSONWriter) -> Void) -> ByteBuffer {
        let data = JSONWriter.text(write)
        var event = ByteBuffer(string: "event: \(name)\ndata: ")
        event.writeImmutableBuffer(data)
        event.writeStaticString("\n\n")
        return event
    }

    /// Keeps intermediaries from closing a connection on which nothing happens.
    static let heartbeat = ByteBuffer(string: ": \n\n")

    /// How long a browser waits before it comes back, in milliseconds.
    static let retry = ByteBuffer(string: "retry: 2000\n\n")

    /// The same for one whose stream made room for a newer one: of more than there is room for each comes in its turn, and nobody is away for longer than this
    /// (docs/decisions/0074).
    static let retryLater = ByteBuffer(string: "retry: 10000\n\n")
}
