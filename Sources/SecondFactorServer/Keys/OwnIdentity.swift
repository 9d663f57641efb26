import Database
import HTTPService
import OstiaryProtocol
import SecondFactor

/// This server's keys as they are at one moment (protocol §1).
struct OwnIdentity: OwnKeys {
    let root: Root
    /// Signs prekeys too.
    let operatorKey: OperatorKey
    let receiptKeys: OperatorKeys
    /// SecondFactorIdentity: root, valid certificates, valid prekeys.
    let published: [UInt8]
    /// When it was made; for a clock that was put back to before that it has to be made anew.
    let madeAt: Instant
    /// When something in here must be renewed or erased.
    let renewAt: Instant
    /// When the operational key ends, if the root key that certifies the next is kept apart and not here; nil if it is.
    let endsWithoutRoot: Instant?
    private let prekeys: [UInt32: PrekeySecret]

    init(
        root: Root, operatorKey: OperatorKey, receiptKeys: OperatorKeys, published: [UInt8], madeAt: Instant, renewAt: Instant,
        endsWithoutRoot: Instant?, prekeys: [PrekeySecret]
    ) {
        self.root = root
        self.operatorKey = operatorKey
        self.receiptKeys = receiptKeys
        self.published = published
        self.madeAt = madeAt
        self.renewAt = renewAt
        self.endsWithoutRoot = endsWithoutRoot
        self.prekeys = Dictionary(prekeys.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Whether nothing in here is over, and the clock is not behind the one that it was made by.
    func isGood(at now: Instant) -> Bool { madeAt <= now + KeyLifetimes.clockSlack && now < renewAt }

    /// That the operational key cannot be renewed because the root key is not here, however far its end is; nil where it can.
    func missingRootKey(at now: Instant) -> RootKeyMissing? {
        endsWithoutRoot.map { RootKeyMissing(end: $0.seconds, overlap: KeyLifetimes.operatorOverlap, now: now.seconds) }
    }

    func open(_ request: [UInt8]) -> OpenedRequest? {
        guard let header = try? RequestHeader(of: request), header.serverTag == root.tag, let prekey = prekeys[header.prekeyID] else { return nil }
        return try? OpenedRequest(request, with: prekey)
    }
}

/// How long this server's keys live, in seconds (protocol §1).
enum KeyLifetimes {
    static let operatorKey: UInt64 = 90 * 86_400
    /// A new operational key is certified when the newest has less than this left.
    static let operatorOverlap: UInt64 = 30 * 86_400
    /// A certificate is valid from a little before it was made, for clocks that are slow.
    static let clockSlack: UInt64 = 300
    static let prekeyValidity: UInt64 = 24 * 3_600
    /// From its making; until then requests that were sealed to it in time are opened.
    static let prekeyErasure: UInt64 = 48 * 3_600
    /// A new prekey is made when the newest has less than this left, so that one that was fetched can be used for a while.
    static let prekeyOverlap: UInt64 = 12 * 3_600
}

extension PrekeyRow {
    /// Whether it is neither to be erased at `now` nor lives longer than one that is made then.
    func isInPlace(at now: Instant) -> Bool {
        now < eraseAt && eraseAt <= now + KeyLifetimes.prekeyErasure && notAfter <= now + KeyLifetimes.prekeyValidity
    }
}

/// Why this server has no identity to serve with. Each is told to the operator as one line.
package enum IdentityError: Error, Equatable, Sendable {
    /// The operational key needs a signature by the root key, which is kept apart.
    case rootKeyNeeded
    /// The root key that was given is not the one of this database.
    case otherRootKey
    /// A stored key does not unwrap under this key-encryption key, or is damaged.
    case unreadableKey
    /// The root key that this program has run with is not in the database any more, or another is.
    case rootGone
    /// The operational keys in the database are certified by another root key than the one there.
    case keysOfAnotherRoot
    /// The operator wrote this server's own identity where that of the authentication server belongs.
    case trustsItself
}

extension IdentityError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .rootKeyNeeded:
            "no operational key is valid now, and the root key that certifies the next is kept apart: start again with --root-key FILE"
        case .otherRootKey: "the root key given is not the one of this database: name the right file, or the right database"
        case .rootGone: KeysGone.words("the root key is", or: "another is in its place")
        case .keysOfAnotherRoot:
            "the keys in the database belong to another root key than the one there: it was restored in part, or beneath a server that ran. Restore the whole "
                + "backup while no server runs"
        case .trustsItself:
            "OSTIARY_SF_TRUSTED_SERVERS names this server's own identity: put what `ostiary serve --print-identity` prints there"
        case .unreadableKey:
            UnwrapError.otherKeyFile("OSTIARY_SF_KEK_FILE", "OSTIARY_SF_DATABASE_URL")
                + "; where all that is right, the keys are damaged: restore a backup"
        }
    }
}
