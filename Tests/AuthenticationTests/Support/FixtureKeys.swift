import Authentication
import OstiaryProtocol

/// The keys of one server: root, operational key, prekey.
struct FixtureKeys: Sendable {
    let chain: Encoded<ServerChain>
    let operatorKey: OperatorKey
    let prekey: PrekeySecret
    let sidKey: [UInt8]
    private let validUntil: Instant

    init(_ seed: UInt8, at now: Instant) throws {
        func bytes(_ offset: UInt8, _ count: Int = 32) -> [UInt8] { [UInt8](repeating: seed &+ offset, count: count) }
        let root = try RootKey(seed: bytes(0), serverID: try present(ServerID(bytes(0, 16))))
        operatorKey = try OperatorKey(seed: bytes(1))
        prekey = try PrekeySecret(id: UInt32(seed), secret: bytes(2))
        sidKey = bytes(3)
        validUntil = now + 90 * 86_400
        chain = Encoded(ServerChain(root: root.root, certificates: [root.certify(operatorKey, from: now - 86_400, until: validUntil)]))
    }

    var root: Root { chain.value.root }
    var server: ServerID { root.serverID }
    var published: Encoded<Prekey> { prekey.published(until: validUntil, signedBy: operatorKey) }
}

/// Knows the keys of the servers of a world and of no other.
struct FixtureKeyring: ServerKeyring {
    let known: [ServerID: FixtureKeys]

    func keys(of server: ServerID) async throws -> ServerKeys {
        guard let keys = known[server] else { throw UnknownServer() }
        return ServerKeys(chain: keys.chain, operatorKey: keys.operatorKey, sidKey: keys.sidKey)
    }
}
