import Authentication
import OstiaryProtocol
import OstiaryTesting

/// Login pages in browsers, and the way back from them.
extension DomainFixture {
    static let returnURL = "https://shop.example/welcome"

    /// SHA of the cookie of a page; each name is another page.
    static func page(_ name: String) -> [UInt8] { SHA(Array("cookie of \(name)".utf8)) }

    /// A page of the browser's nonce begins a session, as a ticket that was just redeemed does, or as one that is open already.
    func openPage(
        _ page: String = "page", of browser: String = "browser", as beginning: PageBeginning = .opened, asking request: LoginRequest = LoginRequest()
    ) async throws {
        try await queries.begin(
            SessionPage(cookieHash: Self.page(page), returnURL: Self.returnURL), as: beginning, for: try Self.nonce(browser), at: server,
            asking: request, now: now)
    }

    /// What the page of the browser's session draws, or has behind its button.
    func drawn(_ style: LinkStyle = .moving, of browser: String = "browser") async throws -> Encoded<LoginLink> {
        try await queries.link(to: try present(try await session(browser)), style, at: now)
    }

    /// The code that a page has; nil when it has none.
    func code(of page: String = "page", _ browser: String = "browser") async throws -> ReturnCode? {
        try await queries.returnCode(of: try present(try await session(browser)), for: Self.page(page))
    }

    /// A backend hands a code in, in the name of a browser.
    @discardableResult
    func handIn(_ code: ReturnCode, by browser: String = "browser") async throws -> LoginStatus {
        try await queries.handIn(code, by: try Self.nonce(browser), at: server, from: .backend, now: now)
    }

    /// The same in a sentence that cannot fail; nil when the code was wrong.
    func tryHandIn(_ code: ReturnCode, by browser: String = "browser") async throws -> LoginStatus? {
        do { return try await handIn(code, by: browser) } catch is ReturnCodeWrong { return nil }
    }
}

extension TestPhone {
    /// L1 to L6 with the right PIN, for a page that is on a screen.
    func confirmPage(_ browser: String = "browser") async throws -> L6 {
        let shown = try await look(at: try await world.drawn(of: browser))
        return try await decide(try accepting(shown, try await tryPIN(shown)))
    }

    /// The same by the button of the page on the phone itself.
    func confirmTapped(_ link: Encoded<LoginLink>) async throws -> L6 {
        let shown = try await look(at: link, via: .link)
        return try await decide(try accepting(shown, try await tryPIN(shown)))
    }
}
