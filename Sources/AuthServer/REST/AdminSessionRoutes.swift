import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// Sessions: logins, each named by a nonce of the business backend.
extension AdminRoutes {
    var sessionTable: [AdminRoute] {
        [
            AdminRoute(.get, SessionAnswers.path, isBrief: true, sessionAnswers.answer),
            AdminRoute(.post, "/servers/{serverid}/sessions/return", hasBody: true, isBrief: true, handIn),
            AdminRoute(.post, "/servers/{serverid}/sessions/otp", hasBody: true, isBrief: true, otpLogin),
            AdminRoute(.post, "/servers/{serverid}/sessions/logout", isBrief: true, logOut),
            AdminRoute(.get, "/servers/{serverid}/sessions/qr/login", query: ["accountid", "img", "s"], hasBody: true, getQrLogin),
            AdminRoute(.post, "/servers/{serverid}/sessions/qr/login", query: ["accountid", "img", "s"], hasBody: true, getQrLogin),
            AdminRoute(.get, "/servers/{serverid}/sessions/link/login", query: ["accountid"], hasBody: true, getLinkLogin),
            AdminRoute(.post, "/servers/{serverid}/sessions/link/login", query: ["accountid"], hasBody: true, getLinkLogin),
            AdminRoute(.post, "/servers/{serverid}/sessions/page", hasBody: true, openPage),
        ]
    }

    /// A browser came back from a login page, with its cookie and with a code.
    private func handIn(_ request: AdminRequest) async throws -> Response {
        let (nonce, server) = (try request.nonce(), try request.serverID())
        let body: AdminReturnRequest = try await request.body()
        guard let code = ReturnCode(text: body.returncode) else {
            throw FieldRefusal.bad("returncode", "is 22 characters of base64url, as the return address brought them")
        }
        return .json(try await domain.sessions.handIn(code, by: nonce, at: server, from: request.caller.actor, now: request.now).write)
    }

    /// A person typed the code of a phone without a connection at the site itself.
    private func otpLogin(_ request: AdminRequest) async throws -> Response {
        let (nonce, server) = (try request.nonce(), try request.serverID())
        let body: AdminCodeRequest = try await request.body()
        return .json(try await domain.offlineCodes.logIn(body.otp, for: nonce, at: server, by: request.caller.actor, now: request.now).write)
    }

    private func logOut(_ request: AdminRequest) async throws -> Response {
        let (nonce, server) = (try request.nonce(), try request.serverID())
        // The pages first, then what they began: PageService says why.
        try await pages.logOut(nonce, at: server)
        try await domain.sessions.logOut(nonce, at: server, by: request.caller.actor, now: request.now)
        return .done
    }

    /// A picture or bytes cannot move, so this is a code that stands still.
    private func getQrLogin(_ request: AdminRequest) async throws -> Response {
        let format = try request.codeFormat()
        return try AdminImage.code(try await link(.still, request).bytes, as: format)
    }

    private func getLinkLogin(_ request: AdminRequest) async throws -> Response {
        .text(Link.text(of: try await link(.tapped, request).bytes, at: publicURL.description))
    }

    private func link(_ style: LinkStyle, _ request: AdminRequest) async throws -> Encoded<LoginLink> {
        let (nonce, server) = (try request.nonce(), try request.serverID())
        return try await domain.sessions.loginLink(
            for: nonce, at: server, style: style, asking: try await request.loginUpdate(), by: request.caller.actor, now: request.now
        ).link
    }

    private func openPage(_ request: AdminRequest) async throws -> Response {
        let nonce = try request.nonce()
        let server = try request.serverID()
        let body: AdminPageRequest = try await request.body()
        let page = try body.page(server: server, nonce: nonce)
        guard (page.returnURL?.absolute(at: publicURL).utf8.count ?? 0) <= ReturnURL.mostBytes else {
            throw FieldRefusal.bad("returnurl", "has at most \(ReturnURL.mostBytes) bytes")
        }
        let (loggedIn, upgraded) = page.kind == .login ? (page.request.account, nil) : (nil, page.request.account)
        try await domain.sessions.admitPage(for: nonce, at: server, isFramed: page.isFramed, account: loggedIn)
        if let upgraded { try await domain.enrolments.admitPage(EnrolmentStart(upgrading: upgraded, nonce: nonce), at: server, now: request.now) }
        let url = try await pages.open(page, at: request.now)
        return .object { writer in writer.member("url", url) }
    }
}

/// The body of return.
private struct AdminReturnRequest: JSONFields {
    let returncode: String

    enum Field: String, CodingKey, CaseIterable { case returncode }
}

/// The body of otpLogin.
private struct AdminCodeRequest: JSONFields {
    let otp: String

    enum Field: String, CodingKey, CaseIterable { case otp }
}

/// The body of openPage.
struct AdminPageRequest: JSONFields {
    let kind: String
    let name: String?
    let userid: String?
    let returnurl: String?
    let cancelurl: String?
    let framed: Bool?
    let accountid: String?
    let announceinfo: Strict<AdminUserContext.Info>?
    let sessioninfo: Strict<AdminUserContext.Info>?

    enum Field: String, CodingKey, CaseIterable { case kind, name, userid, returnurl, cancelurl, framed, accountid, announceinfo, sessioninfo }

    func page(server: ServerID, nonce: SessionNonce) throws -> Page {
        guard let kind = PageKind(rawValue: kind) else { throw FieldRefusal.bad("kind", "is login or enrol") }
        let (returnURL, cancelURL) = (try address(returnurl, field: .returnurl), try address(cancelurl, field: .cancelurl))
        // Nobody has anything to hand in there.
        guard cancelURL?.hasCode != true else { throw FieldRefusal.bad("cancelurl", "has a returncode") }
        for field in foreignFields(of: kind) { throw FieldRefusal.unknown(field.rawValue, nearest: nil) }
        switch kind {
        case .login:
            guard let returnURL else {
                throw FieldRefusal.bad("returnurl", "is missing: where does the browser bring its return code?")
            }
            guard !returnURL.hasCode else { throw FieldRefusal.bad("returnurl", "has a returncode of its own") }
            var update = try AdminUserContext(announceinfo: announceinfo, sessioninfo: sessioninfo).update()
            update.account = try accountid.map { text throws(AdminRefusal) in try AdminText.account(text) }
            return Page(
                kind: .login, serverID: server, nonceHash: nonce.hash, returnURL: returnURL, cancelURL: cancelURL,
                request: update.applied(to: LoginRequest()), isFramed: framed ?? false)
        case .enrol:
            if let accountid { return try upgrade(of: accountid, server, nonce, returnURL, cancelURL) }
            guard let name else { throw FieldRefusal.bad("name", "is missing: what shall the phone call the account?") }
            return Page(
                kind: .enrol, serverID: server, nonceHash: nonce.hash, name: try AdminText.checked(name, field: "name"),
                userID: try userid.map { text throws(FieldRefusal) in try AdminText.checked(text, field: "userid") }, returnURL: returnURL,
                cancelURL: cancelURL)
        }
    }

    /// The page that gives a headless account its second factor.
    private func upgrade(
        of account: String, _ server: ServerID, _ nonce: SessionNonce, _ returnURL: ReturnURL?, _ cancelURL: ReturnURL?
    ) throws -> Page {
        guard name == nil else { throw FieldRefusal.bad("name", "is the account's own, which is there") }
        guard userid == nil else { throw FieldRefusal.bad("userid", "is the account's own, which is there") }
        let request = LoginRequest(account: try AdminText.account(account))
        return Page(kind: .enrol, serverID: server, nonceHash: nonce.hash, returnURL: returnURL, cancelURL: cancelURL, request: request)
    }

    private func address(_ text: String?, field: Field) throws(FieldRefusal) -> ReturnURL? {
        guard let text else { return nil }
        guard let url = ReturnURL(text) else {
            throw .bad(field.rawValue, "is an https address, a path that begins with one slash, or a loopback address")
        }
        return url
    }

    /// What was given and belongs to the other kind of page: nobody would look at it.
    private func foreignFields(of kind: PageKind) -> [Field] {
        switch kind {
        case .login: [(Field.name, name != nil), (.userid, userid != nil)].filter(\.1).map(\.0)
        case .enrol:
            [
                (Field.framed, framed != nil), (.announceinfo, announceinfo != nil), (.sessioninfo, sessioninfo != nil),
            ].filter(\.1).map(\.0)
        }
    }
}
