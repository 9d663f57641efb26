import OstiaryProtocol
import OstiaryResource
import OstiaryTokens

/// A provider, and an authentication server with `getSession`, that tests move: its keys, its answers, whether it is there and how fast it is.
actor FixtureProvider: ResourceCalls {
    struct Gone: Error {}

    static let metadata = Fixture.issuer + "/.well-known/openid-configuration"
    static let oauthMetadata = Fixture.issuer + "/.well-known/oauth-authorization-server"
    static let keys = Fixture.issuer + "/keys"
    static let introspection = Fixture.issuer + "/introspect"

    /// What was asked, in order.
    private(set) var calls: [ResourceCall] = []
    private var published: [JWK]
    private var isGone = false
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var answers: [String: CallAnswer] = [:]

    init(keys: [JWK]) { published = keys }

    func answer(to call: ResourceCall) async throws -> CallAnswer {
        calls.append(call)
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
        guard !isGone else { throw Gone() }
        if let answer = answers[call.address] { return answer }
        switch call.address {
        case Self.metadata:
            return Self.json(
                JSONObject([
                    "issuer": .string(Fixture.issuer), "jwks_uri": .string(Self.keys), "introspection_endpoint": .string(Self.introspection),
                ]))
        case Self.keys: return Self.json(JWKSet(published).json)
        default: return CallAnswer(status: 404, body: [])
        }
    }

    func publish(_ keys: [JWK]) { published = keys }
    func goes() { isGone = true }
    func comesBack() { isGone = false }
    func answers(_ address: String, _ answer: CallAnswer) { answers[address] = answer }
    func answers(_ address: String, _ object: JSONObject) { answers[address] = Self.json(object) }

    /// Whoever asks waits from now on.
    func holds() { isHeld = true }

    func releases() {
        isHeld = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func count(_ address: String) -> Int { calls.count { $0.address == address } }

    static func json(_ object: JSONObject) -> CallAnswer { CallAnswer(status: 200, body: object.encoded) }
}
