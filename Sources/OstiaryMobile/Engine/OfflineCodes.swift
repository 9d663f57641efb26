import OstiaryProtocol
import Synchronization

/// The logins that a one-time code can take the place of, and which of the two comes first: a code ends its login on this phone for good, and the server's
/// word about a login ends the offer of codes for it (protocol §9).
///
/// The app's calls come here before the engine hears of them, and on any thread: the code is what they return. So whoever is first stands, and the other
/// one hears of it here.
final class OfflineCodes: Sendable {
    /// What one login offers.
    struct Offer: Sendable {
        let scan: ScannedLogin
        /// Of the accounts at the server that the code names.
        var sources: [Account.ID: CodeSource]
    }

    private enum Phase {
        case open
        /// A code was made.
        case coded
        /// The server was heard, or the login ended otherwise.
        case over
    }

    private let offers = Mutex<[Session.ID: (offer: Offer, phase: Phase)]>([:])

    /// Offers codes from now on. Offers whose time is over are forgotten.
    func offer(_ offer: Offer, for id: Session.ID, at now: UInt64) {
        offers.withLock { offers in
            offers = offers.filter { $0.value.offer.scan.lasts(at: now) }
            offers[id] = (offer, .open)
        }
    }

    /// Where a code of one account comes from. It makes none, and ends nothing.
    /// - Throws: `notOffered` for a login without codes, `linkOld` when its time is over, `wrongOrder` when its server was heard or it was given up,
    ///   `accountNotOffered`.
    func source(for id: Session.ID, of account: Account.ID, at now: UInt64) throws(OstiaryError) -> (scan: ScannedLogin, source: CodeSource) {
        guard let (offer, phase) = offers.withLock({ $0[id] }) else { throw .notOffered }
        guard offer.scan.lasts(at: now) else { throw .linkOld }
        guard phase != .over else { throw .wrongOrder }
        guard let source = offer.sources[account] else { throw .accountNotOffered }
        return (offer.scan, source)
    }

    /// A code was made: the login does not go on.
    /// - Returns: false where the server was heard first; then the code is for nobody.
    func takeOver(_ id: Session.ID) -> Bool {
        offers.withLock { offers in
            guard let phase = offers[id]?.phase, phase != .over else { return false }
            offers[id]?.phase = .coded
            return true
        }
    }

    /// The server was heard, or the login ended otherwise: no first code is made from now on.
    /// - Returns: whether that was before any code.
    func settle(_ id: Session.ID) -> Bool {
        offers.withLock { offers in
            guard let phase = offers[id]?.phase else { return true }
            guard phase != .coded else { return false }
            offers[id]?.phase = .over
            return true
        }
    }

    /// Whether a code took the place of a login.
    func isCoded(_ id: Session.ID) -> Bool { offers.withLock { $0[id]?.phase == .coded } }

    /// Whether a code can (still) be made.
    func isAvailable(_ id: Session.ID, at now: UInt64) -> Bool {
        offers.withLock { offers in
            guard let (offer, phase) = offers[id] else { return false }
            return phase != .over && !offer.sources.isEmpty && offer.scan.lasts(at: now)
        }
    }

    /// An account that is gone gives no codes.
    func forget(_ account: Account.ID) {
        offers.withLock { offers in
            for id in offers.keys { offers[id]?.offer.sources[account] = nil }
        }
    }
}

/// What an account's codes are made from.
struct CodeSource: Sendable {
    /// The first half of each.
    let reference: UInt32
    /// Where the key store has `otpKey`.
    let secretName: String
    let length: OfflineCodeLength
}

extension CodeSource {
    /// Nil for an account whose server takes no codes, as far as it said, and for one without a second factor, which logs in by none.
    init?(_ account: StoredAccount) {
        guard !account.isHeadless, let reference = account.otpReference, let name = account.otpSecretName,
            let length = account.offlineCodes.flatMap({ OfflineCodeLength(rawValue: $0) })
        else { return nil }
        self.init(reference: reference, secretName: name, length: length)
    }
}

/// A login code as it was scanned, and when.
struct ScannedLogin: Sendable {
    let session: OfflineSession
    /// By the clock that nobody sets.
    let at: UInt64
    let clock: OfflineClock

    func interval(at now: UInt64) -> UInt64? { clock.interval(after: now >= at ? now - at : 0) }

    /// Seconds until there is another code.
    func secondsLeft(at now: UInt64) -> UInt64 { clock.secondsLeft(after: now >= at ? now - at : 0) }

    func lasts(at now: UInt64) -> Bool { interval(at: now) != nil }
}

extension Snapshot {
    /// What a one-time code ended is over even before the engine came to say so, and what its time has passed offers none any more.
    mutating func apply(_ codes: OfflineCodes, at now: UInt64) {
        for index in sessions.indices where sessions[index].otpAvailable {
            let id = sessions[index].id
            if codes.isCoded(id), !sessions[index].isOver { sessions[index].end(as: .otp) }
            sessions[index].otpAvailable = codes.isAvailable(id, at: now)
        }
    }
}
