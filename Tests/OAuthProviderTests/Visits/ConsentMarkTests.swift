import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import OAuthProvider

@Suite("The mark of a question")
struct ConsentMarkTests {
    private typealias Fixture = ProviderFixture

    private static let key = ConsentKey("a secret of a browser")
    private static let login = VisitLogin(session: Fixture.session, startedAt: Fixture.start, account: Fixture.alice)

    private func application(_ id: String = "web", name: String = "Reports", site: String = "https://reports.example") throws -> Application {
        var application = Application(id: try #require(ClientID(id)), server: Fixture.server, kind: .web, name: name, authentication: .none)
        application.siteURL = site
        return application
    }

    private func api(_ identifier: String = "urn:things", read: String = "read your things", write: String = "change them") throws -> ProtectedAPI {
        var api = ProtectedAPI(identifier: try #require(APIIdentifier(identifier)), server: Fixture.server, name: "Things")
        api.scopes = [APIScope(try #require(Scope("read")), words: read), APIScope(try #require(Scope("write")), words: write)]
        return api
    }

    private func question(
        _ kind: ConsentQuestion.Kind = .consent, _ application: Application? = nil, _ scopes: String = "openid read", _ api: ProtectedAPI? = nil,
        _ login: VisitLogin = login
    ) throws -> ConsentQuestion {
        ConsentQuestion(kind, try application ?? self.application(), Fixture.scope(scopes), try api ?? self.api(), login)
    }

    private func mark(_ question: ConsentQuestion, _ key: ConsentKey = key) -> ConsentMark { ConsentMark(of: question, under: key) }

    @Test("It is another for whatever is asked otherwise, and for each name and word that was read: what a person was shown is what they agree to")
    func differences() throws {
        let other = VisitLogin(session: Fixture.identifier(22, SessionKind.self), startedAt: Fixture.start, account: Fixture.alice)
        let questions = [
            try question(), try question(.confirm), try question(.device), try question(.consent, try application("web2")),
            try question(.consent, nil, "openid"), try question(.consent, nil, "openid read write"), try question(.consent, nil, "read"),
            try question(.consent, nil, "openid read", nil, other), try question(.consent, nil, "openid read", try api("urn:others")),
            // What was read.
            try question(.consent, try application(name: "Your Bank")), try question(.consent, try application(site: "https://bank.example")),
            try question(.consent, try application(site: "")),
            try question(.consent, try application(name: "https://reports.example", site: "Reports")),
            try question(.consent, nil, "openid read", try api(read: "read and keep your things")),
            try question(.consent, nil, "openid read write", try api(read: "change them", write: "read your things")),
        ]
        let marks = questions.map { mark($0) }
        #expect(Set(marks.map(\.text)).count == questions.count)
        for (index, shown) in marks.enumerated() {
            for (other, expected) in marks.enumerated() { #expect(expected.isShown(by: shown.text) == (index == other), "\(index) \(other)") }
        }
    }

    @Test("What nobody was shown says nothing: words of a scope that is not asked for, and when the login began")
    func same() throws {
        let shown = mark(try question())
        #expect(mark(try question(.consent, nil, "openid read", try api(write: "change or remove them"))).isShown(by: shown.text))
        let later = VisitLogin(session: Fixture.session, startedAt: Fixture.start + 9, account: Fixture.alice)
        #expect(mark(try question(.consent, nil, "openid read", nil, later)).isShown(by: shown.text))
    }

    @Test("It is one browser's, whole, and no longer than it is")
    func forms() throws {
        let shown = mark(try question())
        #expect(shown.text.utf8.count == 43 && shown.isShown(by: shown.text))
        #expect(!mark(try question(), ConsentKey("the secret of another")).isShown(by: shown.text))
        for wrong in ["", "AAAA", String(shown.text.dropLast()), shown.text + "AA", shown.text + "=", "\(shown.text)\(shown.text)", "?"] {
            #expect(!shown.isShown(by: wrong), "\(wrong)")
        }
        #expect("\(Self.key)" == "‹secret›" && String(reflecting: Self.key) == "‹secret›")
    }
}
