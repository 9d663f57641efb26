import Crypto
import OstiaryProtocol

/// The keys of one phone, and the messages of AP1 that it makes and reads with them, each as one call. It knows no server and no transport: whoever
/// holds it says whom to seal to and what time it is, and carries the bytes.
///
/// What a right PIN would open lies open here: who mistypes sends no proof. What a message says can be changed before it is signed (``Choice``,
/// ``Change``, ``OwnAttempt``), and nothing is checked: a phone of tests says what it likes.
package struct RawPhone: Sendable {
    package let name: String
    package let instance: InstanceID
    package let deviceKey: P256.Signing.PrivateKey
    /// Another one after a change of the PIN that a biometric verified.
    package let secondFactorKey: Curve25519.Signing.PrivateKey
    /// Signs once the person shows a finger or a face.
    package let biometricKey: P256.Signing.PrivateKey
    package let random: any RandomSource

    /// A phone with keys of its own.
    package init(_ name: String, random: any RandomSource) throws {
        self.init(
            name, instance: InstanceID(using: random), deviceKey: try P256.Signing.PrivateKey(rawRepresentation: random.bytes(32)),
            secondFactorKey: try Curve25519.Signing.PrivateKey(rawRepresentation: random.bytes(32)),
            biometricKey: try P256.Signing.PrivateKey(rawRepresentation: random.bytes(32)), random: random)
    }

    /// The same in every run.
    package init(_ seed: String) throws { try self.init(seed, random: SeededRandom(seed)) }

    private init(
        _ name: String, instance: InstanceID, deviceKey: P256.Signing.PrivateKey, secondFactorKey: Curve25519.Signing.PrivateKey,
        biometricKey: P256.Signing.PrivateKey, random: any RandomSource
    ) {
        self.name = name
        self.instance = instance
        self.deviceKey = deviceKey
        self.secondFactorKey = secondFactorKey
        self.biometricKey = biometricKey
        self.random = random
    }

    /// The same phone with the device key of one more account, or of another phone.
    package func with(deviceKeyOf other: RawPhone) -> RawPhone {
        RawPhone(
            other.name, instance: instance, deviceKey: other.deviceKey, secondFactorKey: secondFactorKey, biometricKey: biometricKey,
            random: other.random)
    }

    /// The same phone with the name of another instance, as it draws one for each first PIN.
    package func with(instance: InstanceID) -> RawPhone {
        RawPhone(
            name, instance: instance, deviceKey: deviceKey, secondFactorKey: secondFactorKey, biometricKey: biometricKey, random: random)
    }

    /// The same phone with the second-factor key of a new box.
    package func rekeyed() throws -> RawPhone {
        RawPhone(
            name, instance: instance, deviceKey: deviceKey,
            secondFactorKey: try Curve25519.Signing.PrivateKey(rawRepresentation: random.bytes(32)), biometricKey: biometricKey, random: random)
    }

    package var publicKey: [UInt8] { Array(deviceKey.publicKey.x963Representation) }
    package var secondFactorPublicKey: [UInt8] { Array(secondFactorKey.publicKey.rawRepresentation) }
    package var biometricPublicKey: [UInt8] { Array(biometricKey.publicKey.x963Representation) }

    /// By the device key.
    package func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try deviceKey.signature(for: bytes).rawRepresentation) }

    package func sign<Message: DeviceSigned>(_ message: Message) throws -> Encoded<Message> { try Encoded(message, signedBy: sign) }

    /// A message that begins an exchange of its own: signed together with the key and the time of its request.
    package func fresh<Message: DeviceSigned>(_ message: Message, _ ephemeral: EphemeralKey, at time: Instant) throws -> Encoded<Message> {
        try Encoded(message, freshness: SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: time), signedBy: sign)
    }

    package func ephemeral() throws -> EphemeralKey { try EphemeralKey(using: random) }
}
