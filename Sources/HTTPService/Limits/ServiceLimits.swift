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
    /// How long a connection may be silent between requests, and before its first unless `opening` is less.
    package var idle: TimeAmount
    /// How long a connection may wait with its first byte; nil for as long as it may be silent later.
    package var opening: TimeAmount?
    /// How long a request may take to arrive, from its first byte to its last.
    package var arrival: TimeAmount
    /// How long a connection may be silent whose last answer was sent, until its other end closes it, too.
    package var lingering: TimeAmount
    /// How long such a connection stays at most, however much still comes on it.
    package var lingeringInAll: TimeAmount
    /// Of a server that stops: how long a connection on which nothing is under way may still ask, and one whose last answer was sent be silent.
    package var parting: TimeAmount
    /// How many connections there may be at a time.
    package var connections: ConnectionLimits
    /// How many requests of a connection may wait for their answers.
    package var requests: Int
    /// What the unfinished bodies of all requests may hold together.
    package var bodies: BodyBudget

    package init(
        body: Int = 65536, uri: Int = 8192, headers: Int = 16384, headerCount: Int = 100, idle: TimeAmount = .seconds(75),
        opening: TimeAmount? = nil, arrival: TimeAmount = .seconds(20), lingering: TimeAmount = .seconds(2),
        lingeringInAll: TimeAmount = .seconds(5), parting: TimeAmount = .milliseconds(250),
        connections: ConnectionLimits = ConnectionLimits(total: 20_000), requests: Int = 16, bodies: BodyBudget = .standard
    ) {
        self.body = body
        self.uri = uri
        self.headers = headers
        self.headerCount = headerCount
        self.idle = idle
        self.opening = opening
        self.arrival = arrival
        self.lingering = lingering
        self.lingeringInAll = lingeringInAll
        self.parting = parting
        self.connections = connections
        self.requests = requests
        self.bodies = bodies
    }

    package static let standard = ServiceLimits()
}

/// How many connections a listener has at a time.
package struct ConnectionLimits: Sendable, Equatable {
    /// In all; more wait in the system's queue.
    package let total: Int
    /// Whether one on which the server waits for the client is closed for the next, rather than that the next waits.
    package let givesWay: Bool
    /// For a moment: where one gives way, the next comes in before that one has gone.
    let most: Int
    /// From one address, and from one /64 of IPv6; more are closed as soon as they come.
    package let perPeer: Int

    /// - Parameter perPeer: no limit of its own by default.
    package init(total: Int, perPeer: Int? = nil, givesWay: Bool = false) {
        self.total = total
        self.givesWay = givesWay
        most = total + (givesWay ? 1 : 0)
        self.perPeer = min(perPeer ?? most, most)
    }
}
