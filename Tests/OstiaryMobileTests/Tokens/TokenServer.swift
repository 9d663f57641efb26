import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization

@testable import OstiaryMobile

/// An authorization server that keeps the rules (RFC 6749, 7636, 9449, 7009; refresh tokens by those of Ostiary's provider) and signs correctly, and lies where
/// a test has it lie. It is its own browser: `authorize` is what comes back of an address that was opened.
final class TokenServer: Transport {
    static let issuer = "https://login.example"

    /// Where it does not say the truth.
    struct Lies: Sendable {
        var metadata: (@Sendable (inout JSONObject) -> Void)?
        var callback: (@Sendable (inout [(name: String, value: String)]) -> Void)?
        var claims: (@Sendable (inout JSONObject) -> Void)?
        /// Of the compact token, after it was signed.
        var idToken: (@Sendable (String) -> String)?
        var answer: (@Sendable (inout JSONObject) -> Void)?
        /// Signs in the place of its key.
        var signer: (any TokenSigner)?
        var keys: JWKSet?
    }

    /// What becomes of a call.
    enum Mishap: Sendable, Equatable {
        case lostRequest, lostAnswer
        /// The call is taken, and nothing comes until its time is over.
        case silence
        case status(Int)
        case page
        /// An error of RFC 6749 §5.2.
        case refused(String)
    }

    struct Code: Sendable {
        let challenge: String
        let redirectURI: String
        let nonce: String?
        let boundKey: String?
        let scope: String
    }

    /// The refresh tokens of one login, of which the newest has the highest number.
    struct Family: Sendable {
        let scope: String
        let nonce: String?
        /// `jkt`; nil for bearer tokens, which are renewed.
        let key: String?
        var generation = 0
        var isOver = false
    }

    struct State: Sendable {
        var lies = Lies()
        var codes: [String: Code] = [:]
        var families: [Family] = []
        var accessTokens: [String: Int] = [:]
        /// By endpoint, taken one after the other.
        var mishaps: [String: [Mishap]] = [:]
        var isDown = false
        var calls: [String] = []
        /// Forms that came to the token endpoint, in order.
        var forms: [[String: String]] = []
        var opened: [URL] = []
        var asksNonce = false
        /// Seconds that its clock is ahead of the test's.
        var ahead: Int64 = 0
        var tellsDate = true
        var life: Int64 = 300
        var subject = "alice"
        var spentProofs: Set<[UInt8]> = []
        var revoked: [String] = []
        var webNonces: [String: String] = [:]
        var issuesRefreshTokens = true
    }

    let clock: TestClock
    let signer: LocalSigner
    private let random = SeededRandom("tokens")
    private let state = Mutex(State())

    init(clock: TestClock) throws {
        self.clock = clock
        signer = try LocalSigner(.es256, stored: [UInt8](repeating: 7, count: 32))
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    var calls: [String] { with { $0.calls } }
    func calls(to path: String) -> Int { calls.filter { $0 == path }.count }

    var now: Instant {
        let ahead = with { $0.ahead }
        return ahead < 0 ? Instant(clock.wall) - ahead.magnitude : Instant(clock.wall) + UInt64(ahead)
    }

    func draw(_ kind: String) -> String { "\(kind)-\(Base64URL.encode(random.bytes(12)))" }

    // MARK: The network

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        await Task.yield()
        let path = request.url.path
        let (isDown, mishap) = with { state -> (Bool, Mishap?) in
            state.calls.append(path)
            guard var mishaps = state.mishaps[path], !mishaps.isEmpty else { return (state.isDown, nil) }
            let next = mishaps.removeFirst()
            state.mishaps[path] = mishaps
            return (state.isDown, next)
        }
        guard !isDown, mishap != .lostRequest else { throw .unreachable }
        switch mishap {
        case .silence?:
            clock.advance(UInt64(request.timeout))
            throw .unreachable
        case .status(let status)?: return TransportResponse(status: status, body: [], fields: told(request, [:]))
        case .page?: return TransportResponse(status: 200, body: Array("<html>sign in to this network</html>".utf8))
        case .refused(let word)?: return TransportResponse(status: 400, body: JSONObject(["error": .string(word)]).encoded)
        default: break
        }
        let (status, body, fields) = answer(request)
        guard mishap != .lostAnswer else { throw .unreachable }
        return TransportResponse(status: status, body: body, fields: told(request, fields))
    }

    private func told(_ request: TransportRequest, _ fields: [String: String]) -> [String: String] {
        var fields = fields
        if with({ $0.tellsDate }) { fields["Date"] = FieldDate.text(now.seconds) }
        return request.told(of: fields.map { (name: $0.key, value: $0.value) })
    }

    private func answer(_ request: TransportRequest) -> (Int, [UInt8], [String: String]) {
        switch request.url.path {
        case "/.well-known/openid-configuration": return (200, metadata.encoded, [:])
        case "/keys":
            let lie = with { $0.lies.keys }
            return (200, (lie ?? JWKSet([signer.key])).json.encoded, [:])
        case "/oauth/token":
            guard request.fields["content-type"] == "application/x-www-form-urlencoded", let body = request.body else {
                return Self.error("invalid_request")
            }
            let form = Self.form(body)
            with { $0.forms.append(form) }
            return token(form, proof: request.fields["dpop"])
        case "/oauth/revoke":
            let form = Self.form(request.body ?? [])
            revoke(form["token"] ?? "")
            return (200, [], [:])
        default: return (404, [], [:])
        }
    }

    var metadata: JSONObject {
        var object = JSONObject([
            "issuer": .string(Self.issuer), "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "token_endpoint": .string(Self.issuer + "/oauth/token"), "jwks_uri": .string(Self.issuer + "/keys"),
            "revocation_endpoint": .string(Self.issuer + "/oauth/revoke"), "end_session_endpoint": .string(Self.issuer + "/logout"),
            "code_challenge_methods_supported": .strings(["S256"]), "dpop_signing_alg_values_supported": .strings(["ES256"]),
            "id_token_signing_alg_values_supported": .strings(["ES256", "RS256"]), "authorization_response_iss_parameter_supported": .bool(true),
        ])
        let lie = with { $0.lies.metadata }
        lie?(&object)
        return object
    }

    static func error(_ word: String, _ status: Int = 400, nonce: String? = nil) -> (Int, [UInt8], [String: String]) {
        (status, JSONObject(["error": .string(word)]).encoded, nonce.map { ["DPoP-Nonce": $0] } ?? [:])
    }

    static func form(_ body: [UInt8]) -> [String: String] { query(String(decoding: body, as: UTF8.self)) }

    static func query(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(pair[0])] = String(pair.count == 2 ? pair[1] : "").removingPercentEncoding
        }
        return values
    }
}
