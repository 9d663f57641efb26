import Authentication
import Database
import OstiaryProtocol

/// An operational key with its certificate, which says for how long.
struct CertifiedKey: Sendable {
    let key: OperatorKey
    let certificate: OperatorCertificate
}

/// A prekey with the moments after which it is no longer published and no longer opened.
struct StoredPrekey: Sendable {
    let secret: PrekeySecret
    let publishedUntil: Instant
    let erasedAt: Instant
}

/// The keys of one virtual server, as they are in the database.
struct StoredKeys: Sendable {
    let root: Root
    /// Of the root, as every request is held against them.
    let rootHash: [UInt8]
    let tag: [UInt8]
    let operatorKeys: [CertifiedKey]
    let sidKey: [UInt8]
    private(set) var prekeys: [StoredPrekey]
    /// The root with all keys that it certified, in the order of ``operatorKeys``.
    private let wholeChain: Encoded<ServerChain>

    init(root: Root, operatorKeys: [CertifiedKey], sidKey: [UInt8], prekeys: [StoredPrekey]) {
        self.root = root
        (rootHash, tag) = (root.hash, root.tag)
        self.operatorKeys = operatorKeys
        self.sidKey = sidKey
        self.prekeys = prekeys
        wholeChain = Encoded(ServerChain(root: root, certificates: operatorKeys.map(\.certificate)))
    }

    /// Takes a prekey that another node made.
    mutating func add(_ prekey: StoredPrekey) {
        guard !prekeys.contains(where: { $0.secret.id == prekey.secret.id }) else { return }
        prekeys.append(prekey)
    }

    /// The key that signs at `now`.
    func signer(at now: Instant) -> CertifiedKey? {
        OperatorCertificate.signingPlace(among: wholeChain.value.certificates, at: now).map { operatorKeys[$0] }
    }

    /// The root with the keys that it certified and that are not over. It is asked for many times in a login, and mostly none is over.
    func chain(at now: Instant) -> Encoded<ServerChain> {
        let certificates = wholeChain.value.certificates
        guard certificates.contains(where: { $0.notAfter < now }) else { return wholeChain }
        return Encoded(ServerChain(root: root, certificates: certificates.filter { now <= $0.notAfter }))
    }

    func prekey(_ id: UInt32, at now: Instant) -> PrekeySecret? {
        prekeys.first { $0.secret.id == id && now <= $0.erasedAt }?.secret
    }

    /// What phones may seal to, newest last.
    func published(at now: Instant) -> [StoredPrekey] {
        prekeys.filter { now <= $0.publishedUntil }.sorted { $0.publishedUntil < $1.publishedUntil }
    }
}
