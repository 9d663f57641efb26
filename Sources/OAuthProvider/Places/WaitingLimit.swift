import OstiaryProtocol

/// What waits for a person although nobody who is known has begun it.
package enum WaitingKind: CaseIterable, Sendable {
    /// Authorization requests that no code was given for.
    case visits
    /// Device codes that nobody has decided.
    case devices

    /// Seconds for which one still waits after its `expiresAt`, in which a browser that began with it may go on.
    package var patience: UInt64 {
        switch self {
        case .visits: PushedRequest.visitLife - PushedRequest.life
        case .devices: 0
        }
    }

    /// The longest that one waits.
    fileprivate var life: UInt64 {
        switch self {
        case .visits: PushedRequest.visitLife
        case .devices: PolledAuthorization.deviceLife
        }
    }
}

/// How many may wait at a time (RFC 6819 §4.4.1.11). Each leaves rows, and whoever knows a public client can begin one; so a stranger has this many at a time,
/// however long they go on. What came to its end makes room for the next.
package struct WaitingLimit: Hashable, Sendable {
    /// Forty places fill a virtual server. What a household has open at once are a few, and an office of a thousand people behind one address a few dozen.
    package static let visits = WaitingLimit(fromPlace: 500, atServer: 20_000)
    /// Fewer, as each makes it likelier that a code is hit that somebody guesses (`Pace.userCodes`); and a client that is flooded keeps no other out.
    package static let devices = WaitingLimit(fromPlace: 100, ofClient: 2_000, atServer: 5_000)

    let fromPlace: Int
    let ofClient: Int
    let atServer: Int

    /// - Parameters:
    ///   - fromPlace: that one place may have begun at one virtual server.
    ///   - ofClient: that all places may have begun for one client.
    ///   - atServer: that all places may have begun at one virtual server.
    package init(fromPlace: Int, ofClient: Int = .max, atServer: Int) {
        self.fromPlace = fromPlace
        self.ofClient = ofClient
        self.atServer = atServer
    }
}

/// Whose are counted.
package enum WaitingPart: Hashable, Sendable {
    case place(String)
    case client(ClientID)
    case server
}

/// How many wait, as far as that was asked, and when the first of them expires.
package struct WaitingCount: Equatable, Sendable {
    package let count: Int
    package let firstEnd: Instant?

    package init(_ count: Int, firstEnd: Instant?) {
        self.count = count
        self.firstEnd = firstEnd
    }
}

/// What waits, counted inside a transaction: of what was begun from a place, by an index and no further than is asked.
package protocol WaitingRows: AnyObject {
    /// - Parameters:
    ///   - since: those count that expire at this moment or later.
    ///   - most: beyond which nobody need count.
    func count(_ waiting: WaitingKind, _ part: WaitingPart, at server: ServerID, since: Instant, upTo most: Int) throws -> WaitingCount
}

extension WaitingRows {
    /// Refuses one too many, before it is written and in the same transaction: of many at once no more get in than may. The place is asked first, so that
    /// whoever floods from one hears of that, and fills no more of what all have.
    /// - Throws: ``TooManyWaiting``.
    func checkRoom(
        for waiting: WaitingKind, of client: ClientID, from place: String, at server: ServerID, under limit: WaitingLimit, now: Instant
    ) throws {
        let parts: [(WaitingPart, Int)] = [(.place(place), limit.fromPlace), (.client(client), limit.ofClient), (.server, limit.atServer)]
        for (part, most) in parts where most < .max {
            let found = try count(waiting, part, at: server, since: now - waiting.patience, upTo: most)
            guard found.count >= most else { continue }
            let end = (found.firstEnd ?? now) + waiting.patience + 1
            // No longer than one waits, whatever a clock wrote that ran ahead.
            throw TooManyWaiting(waiting, part, seconds: min(max(1, end.seconds(since: now)), waiting.life + 1))
        }
    }
}

/// No more may wait; one may after so many seconds at most.
package struct TooManyWaiting: Error, Equatable, Sendable {
    package let waiting: WaitingKind
    package let part: WaitingPart
    package let seconds: UInt64

    package init(_ waiting: WaitingKind, _ part: WaitingPart, seconds: UInt64) {
        self.waiting = waiting
        self.part = part
        self.seconds = seconds
    }

    /// Whether it is the place of whoever asks, and nobody else, that has begun too many.
    package var isOfPlace: Bool { if case .place = part { true } else { false } }

    package var description: String {
        let what =
            switch waiting {
            case .visits: "logins"
            case .devices: "devices"
            }
        return isOfPlace
            ? "too many \(what) wait that were begun from your address: ask again in \(seconds) seconds"
            : "too many \(what) wait: ask again in \(seconds) seconds"
    }

    /// For the log of an operator: `visitsFromPlace`.
    package var reason: String {
        switch part {
        case .place: "\(waiting)FromPlace"
        case .client: "\(waiting)OfClient"
        case .server: "\(waiting)AtServer"
        }
    }

    /// What a client is told: 429 for its place, 503 for what is everybody's, both with `Retry-After`.
    package var answer: OAuthError {
        isOfPlace ? .tooOften(.temporarilyUnavailable, description, after: seconds) : .unavailable(description, after: seconds)
    }
}
