import Authentication
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Fuzz: REST", .onBothEngines, .timeLimit(.minutes(10)))
struct RESTFuzzTests {
    /// What is never answered with 2xx here, and why.
    private static let neverDone: [String: Set<HTTPResponse.Status>] = [
        // The second-factor server of these premises is never there.
        "POST /servers/{serverid}/accounts/{accountid}/secondfactor/reset": [.serviceUnavailable],
        // No phone has made a code: it is wrong, or the session takes none.
        "POST /servers/{serverid}/sessions/otp": [.forbidden, .conflict],
    ]

    @Test("Whatever a backend with the key asks is answered: never 5xx, no trap, no line of error, and an honest login works after it")
    func rest() async throws {
        let seed = FuzzSeed("REST")
        let log = LogRecorder()
        for _ in 0..<FuzzSeed.rounds {
            let backend = try await FuzzedBackend(seed)
            let premises = backend.premises
            try await Application(responder: premises.adminResponder, logger: log.logger(level: .error)).test(.router) { client in
                for route in backend.routes {
                    let asked = backend.honest(route)
                    let status = try await backend.send(asked, route, by: client)
                    let expected = Self.neverDone[FuzzedBackend.name(of: route)] ?? [.ok]
                    #expect(
                        expected.contains(status), "\(route.method) \(asked.uri): what is right is done, so that what is changed in it is looked at")
                }
                let heard = try await Self.fuzz(backend, by: client)
                guard FuzzSeed.reachesAll else { return }
                let done = heard.filter { $0.value.contains { $0.kind == .successful } }
                #expect(done.count > heard.count * 3 / 4, "seed \(FuzzSeed.text): done were only \(done.keys.sorted())")
                let refused = heard.filter { $0.value.contains { $0.kind == .clientError } }
                #expect(refused.count > heard.count * 3 / 4, "seed \(FuzzSeed.text): refused were only \(refused.keys.sorted())")
            }
            try await premises.expectHonestLogin()
        }
        #expect(log.text == "", "seed \(FuzzSeed.text)")
    }

    /// What each route was heard to answer.
    private static func fuzz(_ backend: FuzzedBackend, by client: any TestClientProtocol) async throws -> [String: Set<HTTPResponse.Status>] {
        var heard: [String: Set<HTTPResponse.Status>] = [:]
        for _ in 0..<FuzzSeed.times(30) {
            for route in backend.routes {
                let name = FuzzedBackend.name(of: route)
                // Drawing keys takes a while.
                guard !name.hasSuffix("/keys/rotate") || backend.seed.chance(4) else { continue }
                let asked = backend.fuzzed(route)
                let status = try await backend.send(asked, route, by: client)
                heard[name, default: []].insert(status)
                #expect(
                    status.code < 500 || neverDone[name]?.contains(status) == true,
                    "seed \(FuzzSeed.text): \(route.method) \(asked.uri) \(String(decoding: asked.body, as: UTF8.self))")
            }
        }
        return heard
    }
}

extension PagesFixture {
    /// Whatever was sent before, an honest login is told as ever.
    func expectHonestLogin() async throws {
        let nonce = "n0nce-after-everything-else"
        let account = try await addAccount(userID: "honest")
        try await asBackend { (backend) async throws in
            let asked = try await backend.json(.get, backend.path("/sessions/link/login"), nonce: nonce)
            try #require(asked.status == 200)
            try await self.logIn(account, nonce: nonce)
            let told = try await backend.json(.get, backend.path("/sessions/"), nonce: nonce)
            #expect(told.status == 200 && told.object.bool("loggedin") == true)
        }
    }
}
