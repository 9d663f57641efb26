import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// A business backend with the key that asks what it likes, of a server at which there is something to ask about.
struct FuzzedBackend: Sendable {
    let premises: PagesFixture
    let seed: FuzzSeed
    let words: APIWords
    /// More than are deleted.
    private let accounts: [Account]
    /// One without a second factor.
    private let headless: Account
    /// What a phone and a browser began: a login whose code came back, and an enrolment whose code is shown.
    private let returning: String
    private let returnCode: String
    private let enrolling: String
    private let code: String
    private let calls: [String: APICall]

    /// One request.
    struct Asked: Sendable {
        let uri: String
        let nonce: String
        let body: [UInt8]
    }

    private static let nonces = (0..<5).map { "\(PagesFixture.nonce)-\($0)" }
    private static let api = "https%3A%2F%2Fapi.example%2Fthings"

    init(_ seed: FuzzSeed) async throws {
        let premises = try await PagesFixture()
        var accounts: [Account] = []
        for _ in 0..<30 { accounts.append(try await premises.addAccount()) }
        headless = try await premises.addAccount(instance: nil)
        let login = "n0nce-of-a-login-page-that-is-approved"
        let enrolment = "n0nce-of-an-enrolment-that-has-its-code"
        _ = try await premises.asBrowser { (browser) async throws in try await browser.open(.login, nonce: login) }
        returnCode = try await premises.approve(accounts[0], nonce: login).text
        try await premises.asBackend { (backend) async throws in
            try #require(try await backend.send(.get, backend.path("/sessions/link/enrol?name=Alice"), nonce: enrolment).status == .ok)
        }
        let (claim, shown) = try await premises.claimEnrolment(enrolment)
        try await premises.finishEnrolment(claim, enrolment)
        try await premises.addGrants(of: accounts[0])
        let document = try APICall.document()
        calls = Dictionary(
            uniqueKeysWithValues: try premises.adminRoutes.table.map { (Self.name(of: $0), try #require(APICall($0, in: document))) })
        words = APIWords(
            seed,
            real: [
                "accountid": (accounts + [headless]).map(\.id.text), "code": [shown, "K7Q3"], "returncode": [returnCode, "AAAAAAAAAAAAAAAAAAAAAA"],
                "otp": ["2XPP7Q R5BDD0", "2xpp7qr5bdd0"],
                "serverid": [premises.serverID.text],
            ])
        self.premises = premises
        self.seed = seed
        self.accounts = accounts
        code = shown
        returning = login
        enrolling = enrolment
    }

    static func name(of route: AdminRoute) -> String { "\(route.method.rawValue) \(route.path)" }

    /// Bodies that are right, of the calls that need one with something in it.
    private var bodies: [String: String] {
        [
            "PUT /servers/{serverid}/": #"{"serverName":"Timesheets","serverFlags":["ENABLE_OTP"]}"#,
            "PUT /servers/{serverid}/tokenservice/": #"{"url":"https://tokens.example/token"}"#,
            "PUT /servers/{serverid}/dataservice/": #"{"url":"https://data.example/data"}"#,
            "POST /servers/{serverid}/sessions/otp": #"{"otp":"2XPP7Q R5BDD0"}"#,
            "PUT /servers/{serverid}/accounts/{accountid}/": #"{"blocked":false}"#,
            "POST /servers/{serverid}/sessions/return": #"{"returncode":"\#(returnCode)"}"#,
            "POST /servers/{serverid}/sessions/enrol/confirm": #"{"code":"\#(code)"}"#,
            "POST /servers/{serverid}/sessions/page": #"{"kind":"login","returnurl":"https://shop.example/welcome"}"#,
            "PUT /servers/{serverid}/applications/{clientid}/":
                #"{"kind":"web","client_name":"Shop","redirect_uris":["https://shop.example/cb"]}"#,
            "PUT /servers/{serverid}/apis/{api}/": #"{"name":"Things","scopes":{"read":"read it","write":"change it"}}"#,
            "PUT /servers/{serverid}/registration/": #"{"mode":"open"}"#,
            "POST /servers/{serverid}/registry": #"{"roles":{"clerk":{}},"users":{"alice":{"roles":["clerk"]}}}"#,
        ]
    }

    /// The routes in an order in which all can be answered: what is deleted was there, and grants go before what they hang on.
    var routes: [AdminRoute] {
        let table = premises.adminRoutes.table
        return [.put, .post, .get].flatMap { method in table.filter { $0.method == method } } + table.reversed().filter { $0.method == .delete }
    }

    /// A request that is right.
    func honest(_ route: AdminRoute) -> Asked {
        let name = Self.name(of: route)
        let nonce =
            switch route.path.split(separator: "/").last {
            case "return": returning
            case "confirm": enrolling
            default: Self.nonces[0]
            }
        let body = bodies[name] ?? (calls[name]?.body != nil && route.method != .get ? "{}" : "")
        let query =
            switch route.path.split(separator: "/").last {
            case "enrol" where route.method == .get: "?name=Alice"
            case "upgrade": "?accountid=\(headless.id.text)"
            default: ""
            }
        return Asked(uri: path(of: route, isHonest: true) + query, nonce: nonce, body: Array(body.utf8))
    }

    /// A request by the words of the route, some of which are wrong; now and then one that is right but for a few bytes of its body.
    func fuzzed(_ route: AdminRoute) -> Asked {
        let call = calls[Self.name(of: route)]
        if seed.chance(4) {
            let right = honest(route)
            return Asked(uri: right.uri, nonce: right.nonce, body: seed.chance(2) ? right.body : seed.mutate(right.body))
        }
        let uri = path(of: route, isHonest: false) + words.query(call?.query ?? [])
        let nonce = seed.chance(8) ? words.escaped() : seed.pick(Self.nonces + [returning, enrolling]) ?? ""
        guard let schema = call?.body else { return Asked(uri: uri, nonce: nonce, body: seed.chance(8) ? words.body() : []) }
        return Asked(uri: uri, nonce: nonce, body: seed.chance(8) ? words.body() : words.body(schema))
    }

    private func path(of route: AdminRoute, isHonest: Bool) -> String {
        // The account to which everything belongs is deleted last.
        let account = isHonest ? accounts[0] : seed.pick(accounts) ?? accounts[0]
        let grant = Sample.grantID(isHonest || seed.chance(2) ? 5 : 6)
        let real = [
            "serverid": premises.serverID.text, "accountid": account.id.text, "userid": "alice", "role": "clerk", "grantid": grant.text,
            "clientid": isHonest || seed.chance(2) ? "shop" : "shop-1", "api": isHonest || seed.chance(2) ? Self.api : "urn%3Aa",
        ]
        return route.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.first == "{", let value = real[String(part.dropFirst().dropLast())] else { return String(part) }
            return !isHonest && seed.chance(8) ? words.escaped() : value
        }.joined(separator: "/")
    }

    func send(_ asked: Asked, _ route: AdminRoute, by client: any TestClientProtocol) async throws -> HTTPResponse.Status {
        let headers: HTTPFields = [.apiKey: PagesFixture.key, .nonce: asked.nonce]
        return try await client.execute(uri: asked.uri, method: route.method, headers: headers, body: ByteBuffer(bytes: asked.body)).status
    }
}
