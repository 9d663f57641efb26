import Authentication
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol
import QRCode

/// One request of the REST API: its parts, parsed at the edge into values that cannot be wrong.
package struct AdminRequest: Sendable {
    /// Bytes of a body: a logo of 64 KiB in base64 and texts beside it.
    package static let bodyLimit = 262_144

    let request: Request
    let parameters: Parameters
    let caller: AdminCaller
    let now: Instant
    /// Names the request in the log.
    let requestID: String

    var namesServer: Bool { parameters.get("serverid") != nil }

    /// An id that cannot exist is one that does not exist.
    func serverID() throws -> ServerID {
        guard let text = parameters.get("serverid"), let id = ServerID(text: text) else { throw UnknownServer() }
        return id
    }

    func accountID() throws -> AccountID {
        guard let text = parameters.get("accountid") else { throw AdminRefusal.accountUnknown }
        return try AdminText.account(text)
    }

    func userID() throws -> String {
        let text = try decoded("userid")
        // Somebody of before may be called what nobody is called any more.
        guard !text.isEmpty, PlainLine.allows(text, cap: 255) else { throw AdminRefusal.badPath("userid") }
        return text
    }

    /// A part of the address, without its escapes.
    func decoded(_ name: String) throws(AdminRefusal) -> String {
        guard let text = parameters.get(name)?.removingPercentEncoding else { throw .badPath(name) }
        return text
    }

    func nonce() throws -> SessionNonce {
        guard let text = request.headers[.nonce] else { throw SessionNonceError.missing }
        return try SessionNonce(text)
    }

    /// A parameter of the query; nil when it is left out.
    func query(_ name: String) throws(FieldRefusal) -> String? { try RequestQuery(request).value(name) }

    /// `name` and `userid` of an enrolment.
    func enrolmentNames() throws -> (name: String, userID: String?) {
        guard let name = try query("name") else { throw FieldRefusal.bad("name", "is missing: what shall the phone call the account?") }
        return (
            try AdminText.checked(name, field: "name"),
            try query("userid").map { text throws(FieldRefusal) in try AdminText.checked(text, field: "userid") }
        )
    }

    /// Whether the account is to be one without a second factor.
    func isHeadless() throws -> Bool {
        switch try query("headless") {
        case nil, "false": false
        case "true": true
        default: throw FieldRefusal.bad("headless", "is true or false")
        }
    }

    /// The account that the query names.
    func namedAccount() throws -> AccountID {
        guard let text = try query("accountid") else { throw FieldRefusal.bad("accountid", "is missing: which account gets a second factor?") }
        return try AdminText.account(text)
    }

    func number(_ name: String, of unit: String = "", in range: ClosedRange<Int>, otherwise: Int) throws -> Int {
        guard let text = try query(name) else { return otherwise }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number) else {
            throw FieldRefusal.bad(name, "is a number\(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The size of a picture.
    func pixels() throws -> Int {
        try number("s", of: " of pixels", in: QRSymbol.pixelRange, otherwise: 500)
    }

    /// `img=png` and `s` pixels for a picture, otherwise the bytes.
    func codeFormat() throws -> AdminImage.CodeFormat {
        let pixels = try pixels()
        switch try query("img") {
        case nil: return .bytes
        case "png": return .png(pixels: pixels)
        case .some: throw FieldRefusal.bad("img", "is png or left out")
        }
    }

    /// Which part of a list is asked for.
    func slice() throws -> AdminSlice {
        AdminSlice(limit: try number("limit", in: 1...1_000, otherwise: 100), marker: try number("marker", in: 0...1_000_000_000, otherwise: 0))
    }

    /// What is said of a login: the body of a GET, where the reference API has it, or of a POST, and the account that it is for.
    func loginUpdate() async throws -> LoginRequestUpdate {
        let bytes = try await request.bytes(limit: Self.bodyLimit)
        var update = bytes.isEmpty ? LoginRequestUpdate() : try JSONBody.decode(AdminUserContext.self, from: bytes, takesNull: false).update()
        update.account = try query("accountid").map { text throws(AdminRefusal) in try AdminText.account(text) }
        return update
    }

    func body<Value: JSONFields>(_: Value.Type = Value.self) async throws -> Value {
        try JSONBody.decode(Value.self, from: try await request.bytes(limit: Self.bodyLimit), takesNull: false)
    }
}

/// Part of a list: at most `limit` elements after the first `marker`.
struct AdminSlice: Equatable, Sendable {
    let limit: Int
    let marker: Int

    func callAsFunction<Element>(_ all: [Element]) -> ArraySlice<Element> { all.dropFirst(marker).prefix(limit) }
}

/// Names that a business application gives: 1 to 255 bytes of text that may travel to the phone, with something to see.
enum AdminText {
    static func checked(_ text: String, field: String) throws(FieldRefusal) -> String {
        guard PlainLine.allowsName(text, cap: 255) else {
            throw .bad(field, "has 1 to 255 bytes on one line, something to see, and no control or direction characters")
        }
        return text
    }

    /// An id that cannot exist is one that does not exist.
    static func account(_ text: String) throws(AdminRefusal) -> AccountID {
        guard let id = AccountID(text: text) else { throw .accountUnknown }
        return id
    }
}

extension HTTPField.Name {
    /// The session that a call is about.
    static let nonce = HTTPField.Name("X-nonce")!
    /// Who calls.
    static let apiKey = HTTPField.Name("X-apikey")!
}
