import OstiaryTokens

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a request shows of the client that sends it (RFC 6749 §2.3, RFC 7521 §4.2). Nothing of it is checked.
package enum PresentedClient: Sendable {
    /// Its name alone.
    case name(ClientID)
    case secret(ClientID, PresentedSecret)
    case assertion(ClientID, UnverifiedJWS)

    package var id: ClientID {
        switch self {
        case .name(let id), .secret(let id, _), .assertion(let id, _): id
        }
    }

    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// - Parameter authorization: the `Authorization` header field; nil for none.
    package init(authorization: String?, _ parameters: Parameters) throws(ClientRefusal) {
        let named = parameters["client_id"]
        if let authorization {
            guard parameters["client_secret"] == nil, parameters["client_assertion"] == nil else { throw .twoWays }
            let (id, secret) = try Self.basic(authorization)
            guard named == nil || named == id else { throw .namesDiffer }
            self = try Self.shown(id, secret)
        } else if let text = parameters["client_assertion"] {
            guard parameters["client_secret"] == nil else { throw .twoWays }
            guard parameters["client_assertion_type"] == Self.assertionType else { throw .assertionTypeWrong }
            let (id, assertion) = try Self.assertion(text)
            guard named == nil || named == id else { throw .namesDiffer }
            self = .assertion(try Self.known(id), assertion)
        } else {
            guard let named else { throw .missing }
            self = try Self.shown(named, PresentedSecret(parameters["client_secret"] ?? ""))
        }
    }

    /// An empty secret is none (RFC 6749 §2.3.1): some libraries send one in the header for a client that has none.
    private static func shown(_ id: String, _ secret: PresentedSecret) throws(ClientRefusal) -> PresentedClient {
        let id = try known(id)
        return secret.text.isEmpty ? .name(id) : .secret(id, secret)
    }

    private static func known(_ text: String) throws(ClientRefusal) -> ClientID {
        guard let id = ClientID(text) else { throw .unknown }
        return id
    }

    /// RFC 7617, with both parts encoded like a form (RFC 6749 §2.3.1).
    private static func basic(_ field: String) throws(ClientRefusal) -> (String, PresentedSecret) {
        let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map(Substring.init)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { throw .schemeUnknown }
        guard let data = Data(base64Encoded: String(parts[1])), let text = String(validating: data, as: UTF8.self) else { throw .notBase64 }
        guard let colon = text.firstIndex(of: ":") else { throw .noColon }
        guard let id = FormText.decoded(text[..<colon]), let secret = FormText.decoded(text[text.index(after: colon)...]) else { throw .badEscape }
        return (id, PresentedSecret(secret))
    }

    private static func assertion(_ text: String) throws(ClientRefusal) -> (String, UnverifiedJWS) {
        let assertion: UnverifiedJWS
        do { assertion = try UnverifiedJWS(compact: text) } catch { throw .assertion(error) }
        do { return (try assertion.claimed.text("sub"), assertion) } catch { throw .assertionClaims(error) }
    }
}

/// A secret as somebody sent it.
package struct PresentedSecret: Sendable {
    /// For the one comparison, or the one call, that needs it.
    package let text: String

    package init(_ text: String) { self.text = text }
}

extension PresentedSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
