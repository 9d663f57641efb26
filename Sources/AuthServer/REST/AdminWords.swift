import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Members of a body as what they stand for, refused by their name.
enum AdminWords {
    /// One of a few words.
    static func one<Word: RawRepresentable<String> & CaseIterable>(_ text: String, _ field: String) throws(FieldRefusal) -> Word {
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue)
            let meant = nearestName(to: text, among: known).map { ": did you mean \($0)?" } ?? ""
            throw .bad(field, "is \(known.dropLast().joined(separator: ", ")) or \(known.last ?? "")\(meant)")
        }
        return word
    }

    static func all<Word: RawRepresentable<String> & CaseIterable>(_ texts: [String], _ field: String) throws -> [Word] {
        try texts.enumerated().map { try one($1, "\(field)[\($0)]") }
    }

    static func api(_ text: String, _ field: String) throws(FieldRefusal) -> APIIdentifier {
        guard let api = APIIdentifier(text) else { throw .bad(field, "is no absolute URI without a fragment, as the identifier of an API is") }
        return api
    }

    static func scopes(_ texts: [String: [String]], _ field: String) throws -> [APIIdentifier: ScopeSet] {
        try Dictionary(
            uniqueKeysWithValues: texts.sorted { $0.key < $1.key }.map { text, words in
                let field = "\(field).\(text)"
                guard words.count <= ScopeSet.most else { throw FieldRefusal.bad(field, "has at most \(ScopeSet.most) scopes") }
                return (try api(text, field), ScopeSet(try words.enumerated().map { try scope($1, "\(field)[\($0)]") }))
            })
    }

    static func scope(_ text: String, _ field: String) throws(FieldRefusal) -> Scope {
        guard let scope = Scope(text) else {
            throw .bad(field, "is no scope: 1 to 128 visible characters of ASCII, without quotation mark and backslash")
        }
        return scope
    }

    static func claims(_ texts: [String: String], _ field: String) throws -> [ClaimName: ClaimSource] {
        try Dictionary(
            uniqueKeysWithValues: texts.sorted { $0.key < $1.key }.map { text, source in
                let field = "\(field).\(text)"
                guard let name = ClaimName(text) else {
                    throw FieldRefusal.bad(field, "is no absolute URI of at most 255 bytes: a name without a domain may mean something in a token")
                }
                return (name, try one(source, field))
            })
    }

    static func count(_ number: JSONInteger?, _ field: String) throws(FieldRefusal) -> Int? {
        guard let number else { return nil }
        guard let count = Int(exactly: number.value), count >= 0 else { throw .bad(field, "is 0 or more") }
        return count
    }

    static func seconds(_ number: JSONInteger?, _ field: String) throws(FieldRefusal) -> UInt64? {
        guard let number else { return nil }
        guard let seconds = UInt64(exactly: number.value), seconds <= 3_155_760_000 else {
            throw .bad(field, "is a number of seconds, up to a hundred years")
        }
        return seconds
    }
}

/// Public keys of a client as it publishes them (RFC 7517). Other members are not looked at (§4, §5); what is no key that we verify with is refused, since
/// nobody could log in with it.
struct AdminKeySet: Decodable {
    private let object: JSONObject

    init(from decoder: any Decoder) throws {
        guard case .object(let object) = try DecodedJSON(from: decoder).value else {
            throw DecodingError.typeMismatch(Self.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no object"))
        }
        self.object = object
    }

    func set(_ field: String) throws(FieldRefusal) -> JWKSet {
        guard let entries = object["keys"]?.array else { throw .bad(field, "has no list of keys") }
        guard entries.count <= Self.most else { throw .bad(field, "has at most \(Self.most) keys") }
        var keys: [JWK] = []
        for (index, entry) in entries.enumerated() {
            let field = "\(field).keys[\(index)]"
            guard let object = entry.object else { throw .bad(field, "is no key") }
            do { keys.append(try JWK(object)) } catch { throw .bad(field, error.words) }
        }
        return JWKSet(keys)
    }

    private static let most = 16
}

/// A value of a body, whatever it is.
private struct DecodedJSON: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: AnyField.self) {
            var members = JSONObject()
            for name in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                members[name.stringValue] = try object.decode(DecodedJSON.self, forKey: name).value
            }
            value = .object(members)
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(DecodedJSON.self).value) }
            value = .array(values)
            return
        }
        let single = try decoder.singleValueContainer()
        if let bool = try? single.decode(Bool.self) {
            value = .bool(bool)
        } else if let number = try? single.decode(Int64.self) {
            value = .integer(number)
        } else if let number = try? single.decode(Double.self) {
            value = .fraction(number)
        } else {
            value = .string(try single.decode(String.self))
        }
    }
}

extension JWKError {
    /// What is wrong with a member that is a key.
    fileprivate var words: String {
        switch self {
        case .typeMissing: "has no kty"
        case .typeUnknown: "has a kty that is not EC, OKP or RSA"
        case .curveUnknown: "has a crv that is not P-256 or Ed25519"
        case .memberMissing(let name): "has no \(name)"
        case .memberWrong(let name): "has a wrong \(name)"
        case .privateKey: "is a private key: give the public one only, and make a new pair if this was seen by others"
        case .notForSignatures: "is not for signatures"
        }
    }
}

extension RedirectURIError {
    /// What is wrong with a member that is an address.
    var words: String {
        switch self {
        case .malformed: "is no absolute URI of visible ASCII, of at most 2,000 bytes"
        case .fragment: "has a fragment, which a redirect would replace (RFC 6749, 3.1.2)"
        case .userInformation: "has a name before its host, which people would take for the host"
        case .notSecure: "is http to another machine: use https"
        case .schemeWithoutDomain: "has a scheme without a domain: an app's own is one turned around, such as com.example.app (RFC 8252, 7.1)"
        case .schemeOfApps: "has a scheme of its own, which is for native applications"
        case .noHost: "has no host"
        case .portWrong: "has a port that is not 1 to 65535, or zeros before it"
        }
    }
}
