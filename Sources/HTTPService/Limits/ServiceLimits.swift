import NIOCore

/// What a stranger may send and for how long.
package struct ServiceLimits: Sendable {
    /// Bytes of a request's body.
    package var body: Int
    /// Bytes of path and query.
    package var uri: Int
    /// Bytes of all header fields together, and of one.
    package var headers: Int
    /// Number of header fields.
    package var headerCount: Int
    /// How long a connection may be silent between requests, and before its first.
    package var idle: TimeAmount
    /// How long a request may take to arrive.
    package var arrival: TimeAmount
    /// Connections at a time; more wait in the system's queue.
    package var connections: Int

    package init(
        body: Int = 65536, uri: Int = 8192, headers: Int = 16384, headerCount: Int = 100, idle: TimeAmount = .seconds(75),
        arrival: TimeAmount = .seconds(20), connections: Int = 20000
    ) {
        self.body = body
        self.uri = uri
        self.headers = headers
        self.headerCount = headerCount
        self.idle = idle
        self.arrival = arrival
        self.connections = connections
    }

    package static let standard = ServiceLimits()
}
