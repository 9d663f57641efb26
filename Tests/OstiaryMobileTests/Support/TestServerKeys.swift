import OstiaryProtocol

/// The keys of one server of the double: root, operational key and prekey.
struct TestServerKeys: Sendable {
    let root: RootKey
    /// The one that signs.
    private(set) var operatorKey: OperatorKey
    var prekey: PrekeySecret
    private var certificates: [OperatorCertificate]
    private let notBefore: Instant

    init(seed: UInt8, at now: Instant) throws {
        let serverID = try present(ServerID([UInt8](repeating: seed, count: 16)))
        root = try RootKey(seed: [UInt8](repeating: seed, count: 32), serverID: serverID)
        operatorKey = try OperatorKey(seed: [UInt8](repeating: seed &+ 1, count: 32))
        prekey = try PrekeySecret(id: UInt32(seed), secret: [UInt8](repeating: seed &+ 2, count: 32))
        notBefore = now - 20 * 86_400
        certificates = [root.certify(operatorKey, from: notBefore, until: now + 90 * 86_400)]
    }

    var chain: ServerChain { ServerChain(root: root.root, certificates: certificates) }
    var rootHash: [UInt8] { root.root.hash }

    func published(at now: Instant) -> Encoded<Prekey> { prekey.published(until: now + 86_400, signedBy: operatorKey) }

    /// Another key signs from now on.
    mutating func replaceOperatorKey(certifiedBy root: RootKey, at now: Instant) throws {
        operatorKey = try OperatorKey(seed: [UInt8](repeating: 0xA7, count: 32))
        certificates.append(root.certify(operatorKey, from: now - 60, until: now + 90 * 86_400))
    }

    mutating func rotatePrekey() throws {
        let id = prekey.id + 1
        prekey = try PrekeySecret(id: id, secret: [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 32))
    }
}

/// A value that the double cannot do without.
struct MissingValue: Error {}

func present<Value>(_ value: Value?) throws(MissingValue) -> Value {
    guard let value else { throw MissingValue() }
    return value
}
