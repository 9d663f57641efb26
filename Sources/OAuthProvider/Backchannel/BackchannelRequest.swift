import Authentication
import OstiaryProtocol
import OstiaryTokens

/// Why a client may not ask a person (OpenID Connect CIBA §13).
package enum BackchannelRefusal: Error, Equatable, Sendable {
    case client(TokenRefusal)
    case hintMissing, hintsSeveral, hintNotSupported, hintWrong
    case scopeWithoutOpenID
    case bindingMessageWrong
    case expiryWrong
    case userCodeNotSupported
    /// A signed request (§7.1.1). The client shows who it is by itself.
    case requestObject
    /// A client that is told by ping has to say by what token it knows the call.
    case notificationTokenMissing, notificationTokenWrong

    package var code: OAuthErrorCode {
        switch self {
        case .client(let refusal): refusal.code
        case .scopeWithoutOpenID: .invalidScope
        case .bindingMessageWrong: .invalidBindingMessage
        case .hintMissing, .hintsSeveral, .hintNotSupported, .hintWrong, .expiryWrong, .userCodeNotSupported, .requestObject,
            .notificationTokenMissing,
            .notificationTokenWrong:
            .invalidRequest
        }
    }

    /// What the client is told.
    /// - Parameter nonce: for a client that has to use one.
    package func answer(nonce: String?) -> OAuthError {
        if case .client(let refusal) = self { return refusal.answer(nonce: nonce) }
        return OAuthError(code, description)
    }

    /// For the developer of the client.
    package var description: String {
        switch self {
        case .client(let refusal): refusal.description
        case .hintMissing: "login_hint or id_token_hint is missing"
        case .hintsSeveral: "a request has one hint"
        case .hintNotSupported: "login_hint_token is not supported"
        case .hintWrong: "id_token_hint is not an ID token that this client was given"
        case .scopeWithoutOpenID: "scope has no openid"
        case .bindingMessageWrong: "binding_message has at most 64 characters on one line, and something to see"
        case .expiryWrong: "requested_expiry is a number of seconds"
        case .userCodeNotSupported: "user_code is not supported"
        case .requestObject: "request is not supported"
        case .notificationTokenMissing: "client_notification_token is missing"
        case .notificationTokenWrong: "client_notification_token is not a bearer token of at most 1024 characters"
        }
    }
}

/// What a client asks of a person's phone (OpenID Connect CIBA §7.1), well formed.
package struct BackchannelRequest: Sendable {
    /// Seconds for which a phone is asked, unless the client says how long.
    package static let life: UInt64 = 300
    /// A phone can be asked for so long, and no longer (protocol §6).
    package static let longestLife = Session.openFor
    /// Characters of a binding message: it has to be read on two screens at once.
    package static let longestMessage = 64

    package enum Hint: Equatable, Sendable {
        case user(String)
        case idToken(String)
    }

    package let hint: Hint
    package let scopes: ScopeSet
    package let target: APIIdentifier?
    /// Shown on the client's screen and on the phone, and signed with the decision.
    package let bindingMessage: String?
    package let strengths: [LoginStrength]
    /// Seconds.
    package let life: UInt64
    /// Where the client is told, and by what it knows the call (§7.1: `client_notification_token`); nil for one that polls.
    package let notification: (address: String, token: PresentedSecret)?

    package init(_ parameters: Parameters, of application: Application) throws(BackchannelRefusal) {
        guard parameters["request"] == nil else { throw .requestObject }
        hint = try Self.hint(parameters)
        do {
            scopes = try parameters.scopes() ?? []
            target = try parameters.target()
        } catch { throw .client(error) }
        guard scopes.contains(.openID) else { throw .scopeWithoutOpenID }
        bindingMessage = parameters["binding_message"]
        if let bindingMessage {
            guard bindingMessage.count <= Self.longestMessage, PlainLine.allowsName(bindingMessage, cap: 4 * Self.longestMessage) else {
                throw .bindingMessageWrong
            }
        }
        guard parameters["user_code"] == nil else { throw .userCodeNotSupported }
        life = try Self.life(parameters["requested_expiry"])
        strengths = (parameters["acr_values"] ?? "").split(separator: " ").compactMap { LoginStrength(rawValue: String($0)) }
        notification = try Self.notification(parameters["client_notification_token"], of: application)
    }

    /// Exactly one (§7.1).
    private static func hint(_ parameters: Parameters) throws(BackchannelRefusal) -> Hint {
        let names = ["login_hint", "id_token_hint", "login_hint_token"].filter { parameters[$0] != nil }
        guard let name = names.first else { throw .hintMissing }
        guard names.count == 1 else { throw .hintsSeveral }
        guard name != "login_hint_token", let text = parameters[name] else { throw .hintNotSupported }
        return name == "login_hint" ? .user(text) : .idToken(text)
    }

    /// A positive number, which a form has as text; more than the longest is the longest.
    private static func life(_ text: String?) throws(BackchannelRefusal) -> UInt64 {
        guard let text else { return Self.life }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = UInt64(text), seconds > 0 else { throw .expiryWrong }
        return min(seconds, longestLife)
    }

    private static func notification(_ text: String?, of application: Application) throws(BackchannelRefusal) -> (String, PresentedSecret)? {
        guard case .ping(let address) = application.backchannel else { return nil }
        guard let text else { throw .notificationTokenMissing }
        // RFC 6750 §2.1, and no longer than CIBA allows.
        let isToken = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~+/=".utf8.contains(byte)
        }
        guard text.utf8.count <= 1_024, isToken else { throw .notificationTokenWrong }
        return (address, PresentedSecret(text))
    }
}

/// How often a client may ask a person's phone (protocol §6): who asks too often is not told so, and nobody's phone rings. Each client is counted for
/// itself: one that asks without end silences no other.
package struct BackchannelLimit: Sendable {
    /// Unanswered requests in a quarter of an hour, and requests in a day.
    package static let mostUnanswered = 3
    package static let mostPerDay = 5
    package static let quarter: UInt64 = 900
    package static let day: UInt64 = 86_400

    /// Whether the phone may be told of one more.
    /// - Parameter earlier: those of the last day, of the same client for the same account.
    package static func mayRing(after earlier: [PolledAuthorization], at now: Instant) -> Bool {
        let today = earlier.filter { now.seconds(since: $0.createdAt) < day }
        let unanswered = today.filter { $0.state == .pending && now.seconds(since: $0.createdAt) < quarter }
        // What was approved was wanted.
        let unwanted = today.filter { authorization in
            switch authorization.state {
            case .pending, .denied: true
            case .approved, .redeemed: false
            }
        }
        return unanswered.count < mostUnanswered && unwanted.count < mostPerDay
    }
}
