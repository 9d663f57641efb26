/// Server-sent events as text (HTML Living Standard §9.2).
enum EventStreamText {
    /// One event; the data is one line of JSON.
    static func event(_ name: StaticString, _ json: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }

    /// Keeps intermediaries from closing a connection on which nothing happens.
    static let heartbeat = Array(": \n\n".utf8)

    /// How long a browser waits before it comes back, in milliseconds.
    static let retry = Array("retry: 2000\n\n".utf8)
}
