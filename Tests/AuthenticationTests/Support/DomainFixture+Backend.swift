import Authentication
import OstiaryProtocol
import OstiaryTesting

extension AuditActor {
    /// A business backend with its key.
    static let backend = AuditActor.api(key: "test")
}

/// What a business backend does: it invites, shows links, asks, and logs out.
extension DomainFixture {
    /// A nonce of a backend; each name is another browser.
    static func nonce(_ name: String) throws -> SessionNonce { try SessionNonce(Base64URL.encode(SHA(Array(name.utf8)))) }

    struct Invitation: Sendable {
        let nonce: SessionNonce
        let link: EnrolLink
    }

    /// - Parameters:
    ///   - page: the page that begins it; nil for the backend itself.
    ///   - isNewest: whether that page was opened just now.
    func invite(
        _ user: String? = "alice", browser: String = "enrolling", page: String? = nil, isNewest: Bool = true
    ) async throws -> Invitation {
        let nonce = try Self.nonce(browser)
        let start = EnrolmentStart(
            nonce: nonce, displayName: user ?? "Somebody", userID: user, page: page.map(Self.page), isNewest: isNewest)
        let started = try await enrolments.start(start, at: server, origin: Self.origin, by: .backend, now: now)
        return Invitation(nonce: nonce, link: started.link)
    }

    func confirm(_ invitation: Invitation, code: String) async throws -> ConfirmationOutcome {
        try await enrolments.confirm(invitation.nonce, code: code, at: server, by: .backend, now: now)
    }

    /// A link to the open session of a browser.
    @discardableResult
    func link(_ browser: String = "browser", _ style: LinkStyle = .still, preselecting account: AccountID? = nil) async throws -> Encoded<LoginLink> {
        let update = LoginRequestUpdate(account: account)
        return try await queries.loginLink(for: try Self.nonce(browser), at: server, style: style, asking: update, by: .backend, now: now).link
    }

    /// The backend asks with these words.
    @discardableResult
    func ask(
        _ text: String, in browser: String = "browser", note: String = "", logo: [UInt8]? = nil, preselecting account: AccountID? = nil
    ) async throws -> Encoded<LoginLink> {
        let update = LoginRequestUpdate(
            shown: ShownContext(info: [Announcement(key: "amount", text: text)], logo: logo.map { ShownLogo(hash: SHA($0)) }),
            notes: SessionNotes(info: [Announcement(key: "order", text: note)]), account: account)
        return try await queries.loginLink(for: try Self.nonce(browser), at: server, style: .still, asking: update, by: .backend, now: now).link
    }

    /// The backend demands so much of the second factor, and says nothing else.
    @discardableResult
    func ask(_ demand: FactorDemand, in browser: String = "browser") async throws -> Encoded<LoginLink> {
        try await queries.loginLink(
            for: try Self.nonce(browser), at: server, style: .still, asking: LoginRequestUpdate(demand: demand), by: .backend, now: now
        ).link
    }

    func status(_ browser: String = "browser") async throws -> LoginStatus {
        try await queries.status(of: try Self.nonce(browser), at: server, now: now)
    }

    func status(webNonce: String) async throws -> LoginStatus {
        try await queries.status(of: try SessionNonce(webNonce), at: server, now: now)
    }

    func session(_ browser: String = "browser") async throws -> Session? {
        try await queries.progress(of: try Self.nonce(browser), at: server, now: now)
    }

    func logOut(_ browser: String = "browser") async throws {
        try await queries.logOut(try Self.nonce(browser), at: server, by: .backend, now: now)
    }

    /// A phone with one active account, enrolled in the browser “enrolling”, after so much time that nothing of the activation is left.
    func enrolledPhone(_ user: String? = "alice", name: String = "phone") async throws -> TestPhone {
        let phone = try await freshlyEnrolledPhone(user, name: name)
        pass(1 + FactorCache.activationLife)
        return phone
    }

    /// The same in the second of its activation.
    func freshlyEnrolledPhone(_ user: String? = "alice", name: String = "phone") async throws -> TestPhone {
        var phone = try TestPhone(self, name)
        let invitation = try await invite(user, browser: "enrolling \(name)")
        let claimed = try await phone.claim(invitation)
        let set = try await phone.setFirstPIN(claimed)
        _ = try await phone.finish(claimed, set)
        _ = try await confirm(invitation, code: claimed.code)
        phone.account = claimed.shown.accountID
        return phone
    }
}
