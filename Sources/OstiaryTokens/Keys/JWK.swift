import OstiaryProtocol

/// Why an object is no public key that we verify with.
package enum JWKError: Error, Equatable, Sendable {
    case typeMissing, typeUnknown, curveUnknown
    case memberMissing(String)
    case memberWrong(String)
    /// It has a member of a private or a shared key: whoever sends one does not keep it.
    case privateKey
    /// It is for encryption.
    case notForSignatures
}

/// A public key (RFC 7517) of a kind that signatures are verified with here.
package struct JWK: Hashable, Sendable {
    package enum Material: Hashable, Sendable {
        /// 65 bytes, uncompressed.
        case p256([UInt8])
        /// 32 bytes.
        case ed25519([UInt8])
        /// Big-endian, without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    package let material: Material
    /// `kid`; nil when whoever published the key named it not.
    package let id: String?

    package init(_ material: Material, id: String?) {
        self.material = material
        self.id = id
    }

    /// The one algorithm that a key of this kind is used with.
    package var algorithm: SignatureAlgorithm {
        switch material {
        case .p256: .es256
        case .ed25519: .edDSA
        case .rsa: .rs256
        }
    }
}

extension JWK {
    private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads a public key strictly. Members that say nothing of the key itself are not looked at (RFC 7517 §4).
    package init(_ object: JSONObject) throws(JWKError) {
        guard !object.names.contains(where: Self.privateMembers.contains) else { throw .privateKey }
        guard let type = object["kty"]?.string else { throw .typeMissing }
        if let use = object["use"] {
            guard use.string == "sig" else { throw .notForSignatures }
        }
        if let operations = object["key_ops"] {
            guard let strings = operations.strings else { throw .memberWrong("key_ops") }
            guard strings.contains("verify") else { throw .notForSignatures }
        }
        switch type {
        case "EC": material = try Self.curvePoint(object)
        case "OKP": material = try Self.edwardsPoint(object)
        case "RSA": material = try Self.rsaNumbers(object)
        default: throw .typeUnknown
        }
        if let id = object["kid"] {
            guard let text = id.string else { throw .memberWrong("kid") }
            self.id = text
        } else {
            id = nil
        }
        if let algorithm = object["alg"] {
            guard algorithm.string == self.algorithm.rawValue else { throw .memberWrong("alg") }
        }
    }

    private static func curvePoint(_ object: JSONObject) throws(JWKError) -> Material {
        guard object["crv"]?.string == "P-256" else { throw .curveUnknown }
        let point = [4] + (try bytes("x", 32, of: object)) + (try bytes("y", 32, of: object))
        guard (try? DevicePublicKey(point)) != nil else { throw .memberWrong("x") }
        return .p256(point)
    }

    private static func edwardsPoint(_ object: JSONObject) throws(JWKError) -> Material {
        guard object["crv"]?.string == "Ed25519" else { throw .curveUnknown }
        let point = try bytes("x", EdwardsPublicKey.count, of: object)
        guard (try? EdwardsPublicKey(point)) != nil else { throw .memberWrong("x") }
        return .ed25519(point)
    }

    /// 2048 to 4096 bits: below is not safe, above is work for whoever verifies.
    private static func rsaNumbers(_ object: JSONObject) throws(JWKError) -> Material {
        let modulus = try bytes("n", nil, of: object)
        let exponent = try bytes("e", nil, of: object)
        guard let first = modulus.first, first != 0 else { throw .memberWrong("n") }
        guard (2_048...4_096).contains(modulus.count * 8 - first.leadingZeroBitCount) else { throw .memberWrong("n") }
        guard (1...4).contains(exponent.count), exponent.first != 0, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw .memberWrong("e")
        }
        return .rsa(modulus: modulus, exponent: exponent)
    }

    private static func bytes(_ name: String, _ count: Int?, of object: JSONObject) throws(JWKError) -> [UInt8] {
        guard let value = object[name] else { throw .memberMissing(name) }
        guard let text = value.string, let bytes = Base64URL.decode(text), count == nil || bytes.count == count else { throw .memberWrong(name) }
        return bytes
    }
}

extension JWK {
    /// As it is published (RFC 7517 §4): with its use and its algorithm, so that nobody takes it for another.
    package var json: JSONObject {
        var object = required
        object["use"] = .string("sig")
        object["alg"] = .string(algorithm.rawValue)
        object["kid"] = id.map { .string($0) }
        return object
    }

    /// The members that make the key, in the order of their names (RFC 7638 §3.2).
    private var required: JSONObject {
        switch material {
        case .p256(let point):
            JSONObject([
                "crv": .string("P-256"), "kty": .string("EC"), "x": .string(Base64URL.encode(Array(point[1..<33]))),
                "y": .string(Base64URL.encode(Array(point[33..<65]))),
            ])
        case .ed25519(let point):
            JSONObject(["crv": .string("Ed25519"), "kty": .string("OKP"), "x": .string(Base64URL.encode(point))])
        case .rsa(let modulus, let exponent):
            JSONObject(["e": .string(Base64URL.encode(exponent)), "kty": .string("RSA"), "n": .string(Base64URL.encode(modulus))])
        }
    }

    package var thumbprint: Thumbprint { Thumbprint(hash: SHA(required.encoded)) }
}

/// The hash by which a key is named: `jkt` and our `kid` (RFC 7638 with SHA-256).
package struct Thumbprint: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    package let bytes: [UInt8]

    init(hash: [UInt8]) { bytes = hash }

    /// Of the key that a phone named at its login.
    package init(_ key: TokenKey) { bytes = key.thumbprint }

    /// 43 characters of base64url; nil for anything else.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
    package var description: String { text }
}
