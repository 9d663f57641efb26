import OstiaryProtocol

/// The visits that were begun lately and that nobody has gone on with to a code, by where they come from and by virtual server. Each of them leaves rows that
/// housekeeping forgets in their time: what a login is kept by, or what a client without credentials sent ahead. So strangers have at most so many at a
/// time, however long they go on. Of this process, as `PlaceTries` is.
package final class BegunVisits: Sendable {
    /// How many there may be.
    package struct Limit: Hashable, Sendable {
        /// Forty places fill a server that nobody helps out. What a household or an office has open at once are a few, and an office behind one address with
        /// a thousand people a few dozen.
        package static let standard = Limit(fromPlace: 500, atServer: 20_000)

        let place: Pace
        let server: Pace

        /// - Parameters:
        ///   - place: visits that one place may have begun.
        ///   - server: visits that all places may have begun at one virtual server.
        package init(fromPlace place: Int, atServer server: Int) {
            self.place = Pace(place, in: PushedRequest.visitLife)
            self.server = Pace(server, in: PushedRequest.visitLife)
        }
    }

    private let places: PlaceTries
    private let servers: PlaceTries

    package init(_ limit: Limit = .standard) {
        places = PlaceTries(limit.place)
        servers = PlaceTries(limit.server)
    }

    /// Counts one, before anything is written for it.
    /// - Throws: ``TooManyVisits``; then it counts for nobody.
    package func begin(from place: CallPlace, at server: ServerID, now: Instant) throws(TooManyVisits) {
        if let wait = places.take(place, at: now) { throw .fromPlace(seconds: wait) }
        guard let wait = servers.take(Self.place(of: server), at: now) else { return }
        places.giveBack(place, takenAt: now)
        throw .atServer(seconds: wait)
    }

    /// A visit ended in what it was for, by which its person makes room for the next: to be called once for each.
    package func finish(_ visit: BegunVisit, at server: ServerID) {
        for moment in Set([visit.begunAt, visit.pushedAt ?? visit.begunAt]) {
            places.giveBack(visit.place, takenAt: moment)
            servers.giveBack(Self.place(of: server), takenAt: moment)
        }
    }

    private static func place(of server: ServerID) -> CallPlace { CallPlace(server.text) }
}

/// A visit as it is counted.
package struct BegunVisit: Sendable {
    let place: CallPlace
    let begunAt: Instant
    /// When its request was sent ahead, if that was counted, too.
    let pushedAt: Instant?

    /// - Parameters:
    ///   - place: from where it goes on. Where it began elsewhere nothing is given back.
    ///   - begunAt: as the browser says. It gains little by saying another moment: a visit that ends gives back one, or two, whichever.
    package init(from place: CallPlace, begunAt: Instant, pushedAt: Instant? = nil) {
        self.place = place
        self.begunAt = begunAt
        self.pushedAt = pushedAt
    }
}

/// No more visits may be begun; one may after so many seconds at most.
package enum TooManyVisits: Error, Equatable, Sendable {
    /// From where this one comes.
    case fromPlace(seconds: UInt64)
    /// At its virtual server, from all places.
    case atServer(seconds: UInt64)

    package var seconds: UInt64 {
        switch self {
        case .fromPlace(let seconds), .atServer(let seconds): seconds
        }
    }

    package var description: String {
        switch self {
        case .fromPlace(let seconds): "too many logins were begun from your address: ask again in \(seconds) seconds"
        case .atServer(let seconds): "too many logins are under way: ask again in \(seconds) seconds"
        }
    }

    /// For the log of an operator.
    package var reason: String {
        switch self {
        case .fromPlace: "visitsFromPlace"
        case .atServer: "visitsAtServer"
        }
    }

    /// What a client is told that sends a request ahead (RFC 9126 §2.3).
    package var answer: OAuthError {
        switch self {
        case .fromPlace(let seconds): .tooOften(.temporarilyUnavailable, description, after: seconds)
        case .atServer(let seconds): .unavailable(description, after: seconds)
        }
    }
}
