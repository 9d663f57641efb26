import Authentication
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Fuzz: REST and pages", .timeLimit(.minutes(10)))
struct RESTFuzzTests {
    /// After it an honest login is told as ever.
    private func expectHonestLogin(_ premises: PagesFixture) async throws {
        let nonce = "n0nce-after-everything-else"
        let account = try await premises.addAccount(userID: "honest")
        try await premises.asBackend { (backend) async throws in
            let asked = try await backend.json(.get, backend.path("/sessions/link/login"), nonce: nonce)
            try #require(asked.status == 200)
            try await premises.logIn(account, nonce: nonce)
            let told = try await backend.json(.get, backend.path("/sessions/"), nonce: nonce)
            #expect(told.status == 200 && told.object.bool("loggedin") == true)
        }
    }

    @Test("Whatever a backend with the key asks is answered: never 5xx, no trap, no line of error, and an honest login works after it")
    func rest() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        let log = LogRecorder()
        let seed = FuzzSeed("REST")
        let words = try APIWords(seed)
        try await Application(responder: premises.adminResponder, logger: log.logger(level: .error)).test(.router) { client in
            for _ in 0..<(60 * FuzzSeed.rounds) {
                for route in premises.adminRoutes.table {
                    let path = route.path.replacing("{serverid}", with: seed.chance(6) ? words.escaped() : premises.serverID.text)
                        .replacing("{accountid}", with: seed.chance(3) ? words.escaped() : account.id.text).replacing(
                            "{userid}", with: words.escaped()
                        ).replacing("{clientid}", with: seed.chance(3) ? words.escaped() : "shop").replacing(
                            "{api}", with: seed.chance(3) ? words.escaped() : "urn%3Aa"
                        ).replacing("{role}", with: seed.chance(3) ? words.escaped() : "clerk")
                    let query = (0..<seed.below(3)).map { _ in "\(words.escaped())=\(words.escaped())" }.joined(separator: "&")
                    var headers: HTTPFields = [.apiKey: PagesFixture.key]
                    headers[.nonce] = seed.chance(8) ? words.escaped() : "\(PagesFixture.nonce)-\(seed.below(5))"
                    let uri = "\(path)\(query.isEmpty ? "" : "?\(query)")"
                    let body = route.method == .get && !seed.chance(5) ? [] : words.body()
                    let response = try await client.execute(uri: uri, method: route.method, headers: headers, body: ByteBuffer(bytes: body))
                    // The second-factor server of these premises is never there.
                    let mayBeDown = path.hasSuffix("/secondfactor/reset") && response.status == .serviceUnavailable
                    #expect(
                        response.status.code < 500 || mayBeDown,
                        "seed \(FuzzSeed.text): \(route.method) \(uri) \(String(decoding: body, as: UTF8.self))")
                }
            }
        }
        #expect(log.text == "", "seed \(FuzzSeed.text)")
        try await expectHonestLogin(premises)
    }

    private static let pages: [(HTTPRequest.Method, String)] = [
        (.post, "/pages/ticket"), (.post, "/pages/code"), (.post, "/pages/renew"), (.post, "/pages/link"), (.get, "/pages/state"),
        (.get, "/pages/style.css"), (.get, "/login"), (.get, "/enrol"), (.get, "/l"), (.get, "/ap1/bundle/AAAA"), (.get, "/ap1/logo/AAAA"),
        (.get, "/"),
    ]

    @Test("Whatever a browser sends to the pages is answered: never 5xx, no trap, no line of error, and an honest page works after it")
    func pages() async throws {
        let premises = try await PagesFixture()
        let log = LogRecorder()
        let seed = FuzzSeed("pages")
        let words = try APIWords(seed)
        let cookies = try await premises.asBrowser { (browser) async throws in [try await browser.open(.login), try await browser.open(.enrol)] }
        let links = try await premises.asBackend { (backend) async throws in
            try await backend.json(.get, backend.path("/sessions/link/login")).object.text("url")?.split(separator: "#").last.map { Array($0.utf8) }
                ?? []
        }
        try await Application(responder: premises.publicResponder, logger: log.logger(level: .error)).test(.router) { client in
            for _ in 0..<(400 * FuzzSeed.rounds) {
                guard let (method, path) = seed.pick(Self.pages) else { return }
                var headers: HTTPFields = [:]
                headers[.contentType] = seed.chance(8) ? words.escaped() : "application/json"
                headers[.origin] = seed.chance(4) ? words.escaped() : "https://login.example"
                let cookie = Array((seed.pick(cookies) ?? "").utf8)
                if !seed.chance(5) {
                    headers[.cookie] = String(decoding: seed.chance(3) ? seed.mutate(cookie) : cookie, as: UTF8.self).filter(\.isASCII)
                }
                let link = String(decoding: seed.mutate(links), as: UTF8.self).filter { $0 != "\"" && $0 != "\\" && $0.isASCII }
                let known = [#"{"ticket":"\#(link)"}"#, #"{"code":"K7Q\#(seed.below(10))"}"#, #"{"link":"\#(link)"}"#]
                let body = seed.chance(2) ? Array((seed.pick(known) ?? "").utf8) : words.body()
                let uri = seed.chance(4) ? "\(path)?\(words.escaped())=\(words.escaped())" : path
                let response = try await client.execute(
                    uri: uri, method: method, headers: headers, body: method == .get ? nil : ByteBuffer(bytes: body))
                #expect(response.status.code < 500, "seed \(FuzzSeed.text): \(method) \(uri) \(String(decoding: body, as: UTF8.self))")
            }
        }
        #expect(log.text == "", "seed \(FuzzSeed.text)")
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.login)
            #expect(try await browser.get("/pages/state", cookie: cookie).status == .ok)
        }
        try await expectHonestLogin(premises)
    }
}
