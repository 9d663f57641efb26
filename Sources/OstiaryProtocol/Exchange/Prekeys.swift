import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a sealed message could not be opened. All are one thing to whoever sent it.
package enum ExchangeError: Error, Equatable, Sendable {
    case malformed(WireError)
    case cannotSeal
    case cannotOpen
    /// The answer opened but is not signed by the server.
    case badSignature
}

/// The private half of a prekey.
package struct PrekeySecret: Sendable, CustomStringConvertible {
    package let id: UInt32
    let key: Curve25519.KeyAgreement.PrivateKey

    /// From 32 random bytes.
    package init(id: UInt32, secret: [UInt8]) throws(ExchangeError) {
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret) else { throw .cannotOpen }
        self.id = id
        self.key = key
    }

    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }
    package var description: String { "PrekeySecret ‹secret›" }

    /// The prekey to publish.
    package func published(until notAfter: Instant, signedBy operatorKey: OperatorKey) -> Encoded<Prekey> {
        Encoded(Prekey(id: id, publicKey: publicKey, notAfter: notAfter), signedBy: operatorKey)
    }
}

/// The phone's ephemeral key of one login or enrolment, or of one later request.
package struct EphemeralKey: Sendable, CustomStringConvertible {
    let key: Curve25519.KeyAgreement.PrivateKey

    /// From 32 random bytes.
    package init(using random: any RandomSource) throws(ExchangeError) {
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random.bytes(32)) else { throw .cannotSeal }
        self.key = key
    }

    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }
    package var description: String { "EphemeralKey ‹secret›" }
}
