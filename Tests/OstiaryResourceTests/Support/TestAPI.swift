import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Synchronization

/// An API that is protected, with its provider and a clock that stands still.
struct TestAPI {
    let clock = TestClock(Fixture.now)
    let provider: FixtureProvider
    let verifier: ResourceVerifier
    /// How often somebody looked at the clock.
    let looks = Counter()

    final class Counter: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    init(keys: [JWK]? = nil, _ change: (inout ResourceSettings) -> Void = { _ in }) throws {
        var settings = ResourceSettings(base: Fixture.base, provider: ProviderSettings(issuer: Fixture.issuer, audience: Fixture.api))
        change(&settings)
        let provider = FixtureProvider(keys: try keys ?? [Fixture.signer().key])
        self.provider = provider
        let random = SeededRandom("api")
        verifier = try ResourceVerifier(
            settings,
            ports: ResourcePorts(
                calls: provider,
                now: { [clock, looks] in
                    looks.add()
                    return clock.now.seconds
                }, randomBytes: { random.bytes($0) }))
    }

    static func request(
        _ authorization: String? = nil, proofs: [String] = [], method: String = "GET", target: String = "/timesheets",
        more: [(name: String, value: String)] = []
    ) -> ResourceRequest {
        let credential = authorization.map { [(name: "Authorization", value: $0)] } ?? []
        return ResourceRequest(method: method, target: target, fields: credential + proofs.map { (name: "DPoP", value: $0) } + more)
    }

    func caller(_ token: String) async throws -> VerifiedCaller { try await verifier.caller(of: Self.request("Bearer \(token)")) }

    /// Nil when it is let in.
    func refusal(of request: ResourceRequest) async -> ResourceRefusal? {
        do throws(ResourceRefusal) {
            _ = try await verifier.caller(of: request)
            return nil
        } catch { return error }
    }

    func refusal(_ token: String) async -> ResourceRefusal? { await refusal(of: Self.request("Bearer \(token)")) }

    func answer(to request: ResourceRequest, _ policy: AccessPolicy = .anyCaller) async -> RefusalAnswer? {
        do throws(ResourceRefusal) {
            try verifier.check(policy, of: try await verifier.caller(of: request))
            return nil
        } catch { return verifier.answer(to: error, for: request) }
    }
}

extension RefusalAnswer {
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    var bodyText: String { String(decoding: body, as: UTF8.self) }
}
