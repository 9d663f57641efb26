import Authentication
import HTTPTypes
import OAuthProvider
import OstiaryProtocol

/// What a phone shows of a login for a client: who asks, for what, and from which browser.
struct ShownRequest: Sendable {
    let application: Application
    let scopes: ScopeSet
    let api: ProtectedAPI?
    let demand: FactorDemand
    let language: PageLanguage
    let userAgent: String
    /// What the client shows beside it on its own screen; nil for nothing.
    var bindingMessage: String?
    /// What a device shows, where a phone brought it; nil for any other request.
    var userCode: UserCode?
    /// Whom the client expects: for the page, and not for the phone, which has its accounts.
    var expectedName: String?

    init(
        _ application: Application, _ scopes: ScopeSet, _ api: ProtectedAPI?, demand: FactorDemand, in language: PageLanguage, headers: HTTPFields
    ) {
        self.application = application
        self.scopes = scopes
        self.api = api
        self.demand = demand
        self.language = language
        // What is no line, or says nothing, is left out: the person is shown nothing that a browser made up.
        userAgent = (try? LoginText.line(headers[.userAgent] ?? "", "User-Agent")) ?? ""
    }

    init(_ offered: OfferedLogin, in language: PageLanguage, headers: HTTPFields) {
        self.init(offered.application, offered.scopes, offered.api, demand: offered.demand, in: language, headers: headers)
        expectedName = offered.expectedName
    }

    func loginRequest(_ texts: PageTexts) -> LoginRequest {
        LoginRequest(
            client: RelyingParty(name: application.name, origin: application.siteURL, clientID: application.id.text),
            shown: ShownContext(info: announcements(texts), userAgent: userAgent), demand: demand)
    }

    /// Bytes of one announcement on the wire (protocol §2).
    private static let mostBytes = 1_024

    /// As many scopes in each announcement as it has room for: texts are told apart by their keys, of which no two are the same.
    private func announcements(_ texts: PageTexts) -> [Announcement] {
        var lines: [String] = []
        for words in texts.words(for: scopes, at: api, in: language) {
            if let last = lines.last, last.utf8.count + 2 + words.utf8.count <= Self.mostBytes {
                lines[lines.count - 1] = "\(last); \(words)"
            } else {
                lines.append(words)
            }
        }
        let key = texts.text("phoneMay", in: language)
        let message = bindingMessage.map { [Announcement(key: texts.text("phoneMessage", in: language), text: $0)] } ?? []
        let code = userCode.map { [Announcement(key: texts.text("phoneCode", in: language), text: $0.shown)] } ?? []
        return code + message + lines.enumerated().map { Announcement(key: $0.offset == 0 ? key : "\(key) (\($0.offset + 1))", text: $0.element) }
    }
}

extension PageTexts {
    /// What scopes let a client do, for people.
    func words(for scopes: ScopeSet, at api: ProtectedAPI?, in language: PageLanguage) -> [String] {
        scopes.meanings(at: api).map { meaning in
            switch meaning {
            case .identity(.openID): text("scopeOpenID", in: language)
            case .identity(.profile): text("scopeProfile", in: language)
            case .identity(.email): text("scopeEmail", in: language)
            case .identity(.offlineAccess): text("scopeOffline", in: language)
            case .identity(let scope): scope.text
            case .words(let words): words
            }
        }
    }
}
