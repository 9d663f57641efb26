import Crypto
import OstiaryProtocol

@testable import SecondFactor

/// An authentication server, this server and a phone with real keys: what the checks before the rules are asked with.
struct SignedFixture {
    /// One server with its root and its operational key.
    struct Server {
        let root: RootKey
        let key: OperatorKey

        init(_ seed: UInt8, id: ServerID) throws {
            root = try RootKey(seed: Filled(seed).bytes(32), serverID: id)
            key = try OperatorKey(seed: Filled(seed &+ 1).bytes(32))
        }

        func keys() throws -> OperatorKeys {
            let certificate = root.certify(key, from: RulesFixture.now - 60, until: RulesFixture.now + 86_400)
            return try OperatorKeys.verify(ServerChain(root: root.root, certificates: [certificate]), rootHash: root.root.hash)
        }
    }

    let server: Server
    /// Another server that is trusted as well.
    let other: Server
    /// This second-factor server.
    let own: Server
    let device = P256.Signing.PrivateKey()
    let biometric = P256.Signing.PrivateKey()
    let prekey: PrekeySecret
    let now = RulesFixture.now

    init() throws {
        server = try Server(0x51, id: ServerID(using: Filled(0x51)))
        other = try Server(0x61, id: ServerID(using: Filled(0x61)))
        own = try Server(0x71, id: ServerID(using: Filled(0x71)))
        prekey = try PrekeySecret(id: 1, secret: Filled(0x11).bytes(32))
    }

    func caller() throws -> Caller { Caller(try server.keys()) }

    var deviceKey: [UInt8] { Array(device.publicKey.x963Representation) }
    var biometricKey: [UInt8] { Array(biometric.publicKey.x963Representation) }
    var owner: VirtualServer { VirtualServer(id: server.root.root.serverID, rootHash: server.root.root.hash) }

    /// The rows of the phone's instance.
    func instance(owner: VirtualServer? = nil, state: Instance.State? = nil) -> Instance {
        let keys = Instance.EpochKeys(secondFactorKey: RulesFixture.secondFactorKey, evaluationKey: RulesFixture.wrapped)
        return Instance(
            id: RulesFixture.instanceID, owner: owner ?? self.owner, deviceKeys: [deviceKey], biometricKey: biometricKey, epoch: 1,
            state: state ?? .open(keys), counter: Counter(at: now), withoutPIN: 0, lastPIN: now)
    }

    func sign(_ attempt: Attempt) throws -> Encoded<Attempt> {
        try Encoded(attempt) { input in Array(try device.signature(for: input).rawRepresentation) }
    }

    /// What the phone sealed to this server, and what it is once it was opened.
    func sealed(_ message: [UInt8], ephemeral seed: UInt8 = 0x21) throws -> (bytes: [UInt8], opened: OpenedRequest) {
        let published = Prekey(id: prekey.id, publicKey: prekey.publicKey, notAfter: now + 86_400)
        let ephemeral = try EphemeralKey(using: Filled(seed))
        let request = try SealedRequest(message, to: published, of: own.root.root, ephemeral: ephemeral, at: now)
        return (request.bytes, try OpenedRequest(request.bytes, with: prekey))
    }

    /// An attempt as the phone makes it; `change` says what is wrong with it, before it is signed.
    func attempt(
        _ context: SecondFactorContext = .verify, payload: [UInt8] = [], sealed: [UInt8], _ opened: OpenedRequest,
        sessionHash: [UInt8]? = nil, blindedHash: [UInt8]? = nil, sealedHash: [UInt8]? = nil, ephemeralHash: [UInt8]? = nil
    ) throws -> Encoded<Attempt> {
        let operation = Transcript.operation(context, instance: RulesFixture.instanceID, epoch: 1, payload: payload)
        return try sign(
            Attempt(
                instanceID: RulesFixture.instanceID, attemptID: RulesFixture.attemptID(1), sessionHash: sessionHash ?? operation, context: context,
                epoch: 1,
                blindedHash: blindedHash ?? SHA(opened.message), sealedHash: sealedHash ?? SHA(sealed),
                ephemeralHash: ephemeralHash ?? SHA(opened.ephemeral), madeAt: now))
    }

    func ticket(
        _ attempt: Encoded<Attempt>, payload: [UInt8] = [], named: ServerID? = nil, signedBy key: OperatorKey? = nil
    ) -> Encoded<Ticket> {
        let ticket = Ticket(
            serverID: named ?? server.root.root.serverID, sequence: 1, issuedAt: now, payload: payload, attempt: attempt)
        return Encoded(ticket, signedBy: key ?? server.key)
    }
}
