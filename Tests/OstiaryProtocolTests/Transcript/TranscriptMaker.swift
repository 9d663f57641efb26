import Crypto
import Foundation
import OstiaryProtocol

/// Plays a phone and both servers once, with secrets that it writes down.
final class TranscriptMaker {
    static let pin = "271828"
    static let nonce = "bm9uY2Ugb2YgdGhlIGJhY2tlbmQh"

    let secrets: [String: [UInt8]]
    let server: TranscriptServer
    let secondFactor: TranscriptServer
    let device: P256.Signing.PrivateKey
    let key: OPRFKey
    let instance: InstanceID
    let account: AccountID
    let secondFactorMaster: Curve25519.Signing.PrivateKey
    var derived: [String: [UInt8]] = [:]
    private var steps: [TranscriptVector.Step] = []

    init() throws {
        let drawn = try Self.drawnSecrets()
        func secret(_ name: String) throws -> [UInt8] {
            guard let value = drawn[name] else { throw MissingField(name: name) }
            return value
        }
        secrets = drawn
        server = try TranscriptServer("as", secret)
        secondFactor = try TranscriptServer("sfs", secret)
        device = try P256.Signing.PrivateKey(rawRepresentation: try secret("device"))
        key = try OPRFKey(SecretBytes(try secret("k")))
        secondFactorMaster = try Curve25519.Signing.PrivateKey(rawRepresentation: try secret("SFM"))
        guard let instance = InstanceID(try secret("sfId")), let account = AccountID(try secret("accountId")) else {
            throw MissingField(name: "sfId")
        }
        (self.instance, self.account) = (instance, account)
    }

    private static func drawnSecrets() throws -> [String: [UInt8]] {
        let random = FixedRandom(2_027)
        var secrets: [String: [UInt8]] = [:]
        let long = [
            "as.rootSeed", "as.opSeed", "as.prekey", "sfs.rootSeed", "sfs.opSeed", "sfs.prekey", "sidKey", "device", "dsec", "SFM", "srvShare",
            "otpKey", "enrolEphemeral", "loginEphemeral", "sN",
        ]
        let short = ["as.serverId", "sfs.serverId", "sfId", "accountId", "enrolId", "enrolSecret", "enrolAttemptId", "loginAttemptId"]
        for name in long { secrets[name] = random.bytes(32) }
        for name in short { secrets[name] = random.bytes(16) }
        secrets["k"] = try OPRFKey.generate().stored.exposed
        for name in ["enrolBlind", "loginBlind"] { secrets[name] = try GroupScalar.random().bytes }
        return secrets
    }

    func secret(_ name: String) throws -> [UInt8] {
        guard let value = secrets[name] else { throw MissingField(name: name) }
        return value
    }

    func identifier<Kind>(_ name: String) throws -> Identifier<Kind> {
        guard let identifier = Identifier<Kind>(try secret(name)) else { throw MissingField(name: name) }
        return identifier
    }

    func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try device.signature(for: Data(bytes)).rawRepresentation) }
    func ephemeral(_ name: String) throws -> EphemeralKey { try EphemeralKey(using: GivenBytes(try secret(name))) }
    var devicePublicKey: [UInt8] { Array(device.publicKey.x963Representation) }
    var secondFactorKey: [UInt8] { Array(secondFactorMaster.publicKey.rawRepresentation) }

    /// The request is sealed once, so that its hash can stand in the answer and in what follows.
    func seal(_ message: [UInt8], _ ephemeral: EphemeralKey, at time: Instant) throws -> SealedRequest {
        try SealedRequest(message, to: server.prekey.value, of: server.root, ephemeral: ephemeral, at: time)
    }

    func add(
        _ name: String, _ message: [UInt8], _ request: SealedRequest, _ body: [UInt8], inside: TranscriptVector.Inside? = nil,
        call: TranscriptVector.Call? = nil
    ) throws {
        let time = request.sentAt
        let answer = try OpenedRequest(request.bytes, with: server.prekeySecret).answer(.ok, body: body, at: time, signedBy: server.operatorKey)
        steps.append(
            TranscriptVector.Step(
                name: name, time: time.seconds, message: VectorFiles.hex(message), request: VectorFiles.hex(request.bytes),
                answer: VectorFiles.hex(answer), status: 0, body: VectorFiles.hex(body), inside: inside, call: call))
    }

    func make() throws -> TranscriptVector {
        let code = try enrol()
        try logIn()
        let box = try TranscriptBox.scenario(pin: Self.pin, secret, of: "enrol")
        derived["st"] = try box.stretched().bytes.withUnsafeBytes { Array($0) }
        derived["y"] = try box.run(pinnedKey: key.publicKey).y.exposed
        derived["box"] = try box.seal(SecretBytes(try secret("SFM"))).encoded
        derived["pkSf"] = secondFactorKey
        derived["pkK"] = key.publicKey
        derived["as.chain"] = server.chain.encoded
        derived["sfs.chain"] = secondFactor.chain.encoded
        derived["as.rootHash"] = server.root.hash
        derived["sfs.rootHash"] = secondFactor.root.hash
        return TranscriptVector(
            secrets: secrets.mapValues(VectorFiles.hex), derived: derived.mapValues(VectorFiles.hex), pin: Self.pin, confirmationCode: code,
            nonce: Self.nonce, steps: steps)
    }
}
