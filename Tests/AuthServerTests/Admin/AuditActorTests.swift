import Authentication
import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("The actor in the audit trail of a server")
struct AuditActorTests {
    @Test("REST is the key of the settings, by its name and never by itself; the first start is the operator's; a phone is a phone")
    func words() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let path = "/servers/\(servers.server.text)/accounts/\(phone.account.text)/"
            try await Application(router: servers.service.adminRouter).test(.router) { (client) async throws in
                let answer = try await client.execute(
                    uri: path, method: .put, headers: [.apiKey: ServersFixture.apiKey], body: ByteBuffer(string: #"{"blocked":true}"#))
                #expect(answer.status == .ok)
            }
            let told = try await servers.database.read { connection in
                try connection.query("SELECT kind, actor FROM audit ORDER BY position").map { "\(try $0.text("kind")) \(try $0.text("actor"))" }
            }
            #expect(
                told == [
                    "serverCreated operator", "enrolmentStarted api:test", "accountEnrolled phone", "accountActivated api:test",
                    "accountBlocked api:main",
                ])
        }
    }

    @Test("An enrolment of a page is the page's, from the invitation to the code; one of the backend is the backend's")
    func pages() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            #expect(JSONObject(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).body).text("outcome") == "done")
        }
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.send(.get, backend.path("/sessions/link/enrol?name=Bob"), nonce: "n0nce-of-another-enrolment").status == .ok)
        }
        let entries = try await premises.store.read { rows in try rows.auditEntries(of: premises.serverID, limit: 9) }
        let told = entries.map { "\($0.kind) \($0.actor.word ?? "")" }
        #expect(told == ["enrolmentStarted api:main", "accountActivated page", "enrolmentStarted page"])
    }

    @Test("A route that stands before the key is answered to nobody")
    func routeBeforeKey() async throws {
        let premises = try await PagesFixture()
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.add(premises.adminRoutes.table, clock: { premises.clock.now }, known: { _ in })
        try await Application(router: router).test(.router) { (client) async throws in
            #expect(try await client.execute(uri: "/servers/", method: .get, headers: [.apiKey: PagesFixture.key]).status == .unauthorized)
        }
    }
}
