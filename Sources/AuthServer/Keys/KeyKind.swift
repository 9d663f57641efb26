import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// A kind of private key of a virtual server, and how long its keys live (protocol §1). Another kind is another line here and in ``renewed``.
struct KeyKind: Sendable {
    /// In the rows, and in the context in which its secrets are wrapped.
    let name: String
    /// Seconds for which a key is used; nil for ever.
    let life: UInt64?
    /// A new key is made when the newest has less than this left.
    let overlap: UInt64
    /// Seconds for which a key is shown before it is used, where another is used until then.
    let ahead: UInt64
    /// Seconds for which a key is kept and shown after its use: what was made with it is looked at for as long.
    let after: UInt64
    /// Tells the keys of a kind apart; empty for a kind of which a server has one.
    let id: @Sendable (_ secret: [UInt8]) throws -> [UInt8]
    /// What the root says of a key; nil for a kind that it says nothing of.
    let certificate: (@Sendable (_ root: RootKey, _ secret: [UInt8], _ from: Instant, _ until: Instant) throws -> [UInt8])?

    private init(
        _ name: String, life: UInt64? = nil, overlap: UInt64 = 0, ahead: UInt64 = 0, after: UInt64 = 0,
        id: @Sendable @escaping ([UInt8]) throws -> [UInt8] = { _ in [] },
        certificate: (@Sendable (RootKey, [UInt8], Instant, Instant) throws -> [UInt8])? = nil
    ) {
        self.name = name
        self.life = life
        self.overlap = overlap
        self.ahead = ahead
        self.after = after
        self.id = id
        self.certificate = certificate
    }

    static let root = KeyKind("root")
    /// Session ids and streams are derived with it.
    static let sid = KeyKind("sid")
    /// An operational key signs what phones and second-factor servers hear. A new one is certified so early that phones meet it in a bundle long before
    /// the old one ends.
    static let op = KeyKind(
        "op", life: 90 * day, overlap: 30 * day, id: { try OperatorKey(seed: $0).id },
        certificate: { root, secret, from, until in root.certify(try OperatorKey(seed: secret), from: from, until: until).encoded })

    /// The kinds whose keys end, and are made anew before.
    static let renewed = [op]

    /// Refresh tokens and nonces of proofs are derived with it. It has no end: with another one every refresh token is over.
    static let tokenSecret = KeyKind("token-secret")

    /// Signs tokens by one algorithm. The next key is published for a day before it signs, so that who fetches keys once a day knows it by then; the
    /// former one for as long as a token can live that it signed.
    static func token(_ algorithm: SignatureAlgorithm) -> KeyKind {
        KeyKind(
            "token-\(algorithm.rawValue.lowercased())", life: 90 * day, overlap: 3 * day, ahead: day, after: ProtectedAPI.longestLife + clockSlack,
            id: { try LocalSigner(algorithm, stored: $0).key.thumbprint.bytes })
    }

    /// Whether a key is to be made, now that the newest ends at `end`; nil when there is none.
    func isDue(after end: Instant?, at now: Instant) -> Bool { end.map { $0 < now + overlap } ?? true }

    /// From when until when a key serves that is made now. A certificate begins earlier, for clocks that are behind.
    func times(at now: Instant) -> (from: Instant, until: Instant) {
        (certificate == nil ? now : now - Self.clockSlack, life.map { now + $0 } ?? Instant(UInt64(Int64.max)))
    }

    private static let day: UInt64 = 86_400
    /// Seconds by which clocks may be behind that look at a new key.
    static let clockSlack: UInt64 = 3_600
}

/// How long prekeys live, in seconds (protocol §2). What was sealed to one is opened for longer than it is published.
enum PrekeyLife {
    private static let day: UInt64 = 86_400

    /// Phones seal to a prekey for this long after it was made.
    static let published = day
    /// A new prekey is made when the newest has less than this left.
    static let overlap = day / 2
    /// The server opens what was sealed to a prekey for this long after it was made; then it is erased.
    static let opened = 2 * day
}
