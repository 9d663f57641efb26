import Authentication
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import Synchronization
import Testing

@testable import AuthServer

/// A browser at the public listener: keeps cookies as it is told, and says where its calls come from.
final class Browser: Sendable {
    let client: any TestClientProtocol
    let fixture: AuthorizeFixture
    /// Where a trusted proxy says that it is.
    private let address: String?
    private let jar = Mutex<[String: String]>([:])

    init(client: any TestClientProtocol, fixture: AuthorizeFixture, at address: String? = nil) {
        self.client = client
        self.fixture = fixture
        self.address = address
    }

    /// Another one, with nothing in it.
    func another(from address: String? = nil) -> Browser { Browser(client: client, fixture: fixture, at: address) }

    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    /// What it has of visits, the last one of which is the newest.
    var visits: [Visit] {
        cookies.filter { $0.key.contains("ostiary-visit-") }.compactMap { Visit(received: $0.value) }
    }

    /// By which its logins are named, the newest first.
    var logins: [SessionNonce] {
        let value = cookies.first { $0.key.contains("ostiary-logins-") }?.value
        return (value ?? "").split(separator: ".").compactMap { PageSecret(received: $0) }.map { SessionNonce(naming: $0) }
    }

    func get(_ path: String) async throws -> TestResponse { try await send(path, .get, [.accept: "text/html"]) }

    func head(_ path: String) async throws -> TestResponse { try await send(path, .head, [.accept: "text/html"]) }

    func post(
        _ path: String, _ body: String, origin: String? = AuthorizeFixture.origin, type: String = "application/json"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: type]
        headers[.origin] = origin
        return try await send(path, .post, headers, body)
    }

    /// A form of a site at another origin, with which browsers send no cookie that is `Lax`.
    func postForm(_ path: String, _ body: String, type: String = "application/x-www-form-urlencoded") async throws -> TestResponse {
        try await client.execute(
            uri: path, method: .post, headers: [.contentType: type, .origin: "https://shop.example"], body: ByteBuffer(string: body))
    }

    private func send(
        _ path: String, _ method: HTTPRequest.Method, _ fields: HTTPFields, _ body: String? = nil
    ) async throws -> TestResponse {
        var headers = fields
        if let address { headers[HTTPField.Name("X-Forwarded-For")!] = address }
        if !cookies.isEmpty { headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") }
        let response = try await client.execute(uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
        for cookie in response.headers[values: .setCookie] { keep(cookie) }
        return response
    }

    private func keep(_ cookie: String) {
        let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        jar.withLock { jar in jar[pair[0]] = cookie.contains("Max-Age=0") ? nil : pair[1] }
    }
}

/// What people do with it.
extension Browser {
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// The request of a client; what is nil is left out.
    static func request(
        _ client: String = "shop", _ redirect: String = AuthorizeFixture.callback, _ changes: KeyValuePairs<String, String?> = [:]
    ) -> String {
        var values: [(String, String?)] = [
            ("client_id", client), ("redirect_uri", redirect), ("response_type", "code"), ("scope", "openid read"),
            ("audience", AuthorizeFixture.api.text), ("state", "state-1"), ("nonce", "nonce-1"), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes {
            values.removeAll { $0.0 == name }
            values.append((name, value))
        }
        return values.compactMap { name, value in value.map { "\(name)=\(AuthorizeResponse.escaped($0))" } }.joined(separator: "&")
    }

    /// That of the website of somebody else, which has to ask.
    static func reports(_ changes: KeyValuePairs<String, String?> = [:]) -> String { request("reports", AuthorizeFixture.reports, changes) }

    func authorize(_ request: String, at folder: String = "") async throws -> TestResponse { try await get("\(folder)/authorize?\(request)") }

    /// Opens the login page to which an answer leads, as its script does.
    /// - Returns: the visit that is waiting there.
    func openLogin(_ answer: TestResponse) async throws -> Visit {
        try #require(answer.status == .seeOther)
        return try await openLogin(at: answer.headers[.location], answer)
    }

    /// - Parameter address: where the login page is; an answer to a script says it in its body.
    func openLogin(at address: String?, _ answer: TestResponse) async throws -> Visit {
        let location = try #require(address)
        try #require(location.hasPrefix("\(AuthorizeFixture.origin)/login?lang="))
        let ticket = try #require(location.split(separator: "#").last)
        let set = try #require(answer.headers[values: .setCookie].first { $0.contains("ostiary-visit-") })
        let visit = try #require(Visit(received: set.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst()))
        try #require(try await post("/pages/ticket", #"{"ticket":"\#(ticket)"}"#).status == .ok)
        return visit
    }

    /// What the login page shows that it has open.
    func openPage() async throws -> JSONObject {
        let page = try #require(cookies.keys.compactMap { PageID(received: $0.dropFirst("__Host-ostiary-".count)) }.first)
        return JSONObject(try await get("/pages/state?page=\(page.text)").body)
    }

    /// The page sends the browser back after a phone said yes.
    func comeBack(_ visit: Visit, _ code: ReturnCode) async throws -> TestResponse {
        let page = try #require(try await fixture.session(visit.nonce).page)
        #expect(page.returnURL == "\(AuthorizeFixture.origin)/authorize/continue?visit=\(visit.id.text)")
        return try await get(path(page.returnURL) + "&returncode=\(code.text)")
    }

    /// From the answer that leads to a login page to the answer behind it.
    func logIn(_ answer: TestResponse, as account: Account, methods: Methods = .pin) async throws -> TestResponse {
        let visit = try await openLogin(answer)
        return try await comeBack(visit, try await fixture.approve(account, visit.nonce, methods: methods))
    }

    /// Asks what the consent page asks that an answer leads to, or any other address of ours.
    func question(_ answer: TestResponse) async throws -> (JSONObject, visit: String) { try await question(at: answer.headers[.location]) }

    func question(at address: String?) async throws -> (JSONObject, visit: String) {
        let location = try #require(address)
        try #require(location.hasPrefix("\(AuthorizeFixture.origin)/authorize/consent?visit="))
        let visit = try #require(Self.parameter("visit", of: location))
        #expect(try await get(path(location)).status == .ok)
        return (JSONObject(try await get("/authorize/state?visit=\(visit)").body), visit)
    }

    func decide(_ visit: String, _ mark: String?, allow: Bool, origin: String? = AuthorizeFixture.origin) async throws -> TestResponse {
        try await post("/authorize/decision?visit=\(visit)", #"{"mark":"\#(mark ?? "")","allow":\#(allow)}"#, origin: origin)
    }

    /// What so many tabs of it are answered that do this at once, each by its number.
    func atOnce(_ count: Int, _ act: @Sendable @escaping (Browser, Int) async throws -> TestResponse) async throws -> [TestResponse] {
        let kept = cookies
        return try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for number in 0..<count {
                let tab = another()
                tab.cookies = kept
                group.addTask { try await act(tab, number) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func path(_ address: String) -> String { String(address.dropFirst(AuthorizeFixture.origin.count)) }

    static func parameter(_ name: String, of location: String?) -> String? {
        location?.split(separator: "?", maxSplits: 1).last?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}
