import Authentication
import OstiaryProtocol

/// An authorization that a person gives on another device while the client asks again and again: RFC 8628 and OpenID Connect CIBA.
package struct PolledAuthorization: Equatable, Sendable {
    package enum Way: Hashable, Sendable {
        /// SHA of the user code that stands on the client's screen.
        case device(userCodeHash: [UInt8])
        /// The person whom the client named; nil for one that nobody knows, who never decides.
        case backchannel(AccountID?)
    }

    /// What a ping needs (OpenID Connect CIBA §10.2).
    package struct Notification: Equatable, Sendable {
        package let address: String
        /// By which the client knows that the call is ours.
        package let token: StoredSecret
        /// `auth_req_id`, of which nothing else is kept but the hash.
        package let requestID: StoredSecret

        package init(address: String, token: StoredSecret, requestID: StoredSecret) {
            self.address = address
            self.token = token
            self.requestID = requestID
        }
    }

    package enum State: Hashable, Sendable {
        case pending
        case approved(GrantID)
        case denied
        /// Given out by this call.
        case redeemed(GrantID, by: RedemptionID)
    }

    /// Seconds for which a device code is good.
    package static let deviceLife: UInt64 = 600
    /// Seconds between two questions, at first, and by which a hasty client makes it longer (RFC 8628 §3.5).
    package static let interval: UInt64 = 5
    /// Seconds for which a yes of the last moment waits for its client, besides the interval: it asks at its own pace, and a ping takes its time.
    package static let grace: UInt64 = 60
    /// Seconds of an interval for which such a yes waits: who makes it longer by asking too often has no longer for it.
    package static let longestPause: UInt64 = 60

    /// SHA of the device code or of the auth_req_id.
    package let hash: [UInt8]
    package let server: ServerID
    package let client: ClientID
    package let way: Way
    package let scopes: ScopeSet
    package let api: APIIdentifier?
    /// How strongly the person has to have logged in, as the client asks: one of these, or any.
    package let strengths: [LoginStrength]
    /// What the client shows on its own screen, for the person to see it on the phone as well (OpenID Connect CIBA §7.1); nil for nothing.
    package let bindingMessage: String?
    package let createdAt: Instant
    /// Until when it waits; moved by a decision that was begun in time and came after it.
    package private(set) var expiresAt: Instant
    package private(set) var interval: UInt64
    package private(set) var polledAt: Instant?
    /// The call that asked last: one that looks again is not a second question.
    package private(set) var polledBy: RedemptionID?
    package private(set) var state: State
    /// The session in which a person decides on their phone: that of the person whom the client asks, or the last that a phone began by bringing the code. Nil
    /// where no phone rings, and of a code that no phone has brought.
    package private(set) var session: SessionID?
    /// How a client that is not to ask again and again hears of the decision; nil for one that polls.
    package let notification: Notification?
    /// Where a device code was begun (`CallPlace.name`), by somebody who may be anybody; nil where its client showed who it is.
    package let place: String?

    package init(
        hash: [UInt8], server: ServerID, client: ClientID, way: Way, scopes: ScopeSet, api: APIIdentifier?,
        strengths: [LoginStrength] = [], bindingMessage: String? = nil, createdAt: Instant, life: UInt64,
        interval: UInt64 = PolledAuthorization.interval, polledAt: Instant? = nil, polledBy: RedemptionID? = nil,
        state: State = .pending, session: SessionID? = nil, notification: Notification? = nil, place: String? = nil
    ) {
        self.hash = hash
        self.server = server
        self.client = client
        self.way = way
        self.scopes = scopes
        self.api = api
        self.strengths = strengths
        self.bindingMessage = bindingMessage
        self.createdAt = createdAt
        expiresAt = createdAt + life
        self.interval = interval
        self.polledAt = polledAt
        self.polledBy = polledBy
        self.state = state
        self.session = session
        self.notification = notification
        self.place = place
    }

    /// What a question of the client comes to, and what the authorization is afterwards.
    package enum Poll: Equatable, Sendable {
        case pending, slowDown, denied, expired
        case give(GrantID)
        /// It was given out before, to another call: what was given is to be revoked.
        case again(GrantID)
    }

    /// - Parameter isBeingDecided: whether a phone may still decide it, which it may for a while after the end if it began before.
    package func polled(
        by redemption: RedemptionID, isBeingDecided: Bool = false, at now: Instant
    ) -> (Poll, PolledAuthorization) {
        var next = self
        switch state {
        case .redeemed(let grant, by: redemption): return (.give(grant), self)
        case .redeemed(let grant, by: _): return (.again(grant), self)
        case .denied: return (.denied, self)
        case .pending, .approved: break
        }
        guard isBeingDecided || now <= goodUntil else { return (.expired, self) }
        // Who is told by ping asks when it is (OpenID Connect CIBA §10.2), however lately it asked before.
        let isTold = notification != nil && state != .pending
        // A second of patience: the answer was under way, too.
        let isHasty = !isTold && polledBy != redemption && polledAt.map { now + 1 < $0 + interval } ?? false
        next.polledAt = now
        next.polledBy = redemption
        guard !isHasty else {
            next.interval += Self.interval
            return (.slowDown, next)
        }
        guard case .approved(let grant) = state else { return (.pending, next) }
        next.state = .redeemed(grant, by: redemption)
        return (.give(grant), next)
    }

    /// What was granted by it; nil while nothing is, or for a no.
    package var grant: GrantID? {
        switch state {
        case .approved(let grant), .redeemed(let grant, by: _): grant
        case .pending, .denied: nil
        }
    }

    /// Whether a device shows a code for it.
    package var isOfDevice: Bool { if case .device = way { true } else { false } }

    /// As a phone that brought the code decides it in a session.
    func asked(in session: SessionID) -> PolledAuthorization {
        var next = self
        next.session = session
        return next
    }

    /// The call to which it was given out.
    package var redeemer: RedemptionID? {
        if case .redeemed(_, by: let call) = state { call } else { nil }
    }

    /// Until when its client may ask. What a person said yes to in time is not lost because the client asks after it; nobody may say yes later.
    package var goodUntil: Instant {
        if case .approved = state { goodUntil(approvedAt: expiresAt) } else { expiresAt }
    }

    /// Until when a yes of that moment, which may be after the end, is given to its client.
    func goodUntil(approvedAt moment: Instant) -> Instant { max(expiresAt, moment) + Self.grace + min(interval, Self.longestPause) }

    /// As its session has decided it; nil when that was too long ago, or it is decided.
    /// - Parameter moment: of the decision, which may be after the end.
    func decided(_ grant: GrantID?, by moment: Instant, at now: Instant) -> PolledAuthorization? {
        guard state == .pending else { return nil }
        var next = self
        next.state = grant.map { .approved($0) } ?? .denied
        next.expiresAt = max(expiresAt, moment)
        return grant == nil || now <= next.goodUntil ? next : nil
    }

    /// Nil when it is decided or over.
    package func decided(_ grant: GrantID?, at now: Instant) -> PolledAuthorization? {
        guard state == .pending, now <= expiresAt else { return nil }
        var next = self
        next.state = grant.map { .approved($0) } ?? .denied
        return next
    }
}
