import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Pages of one browser", .timeLimit(.minutes(10)))
struct PageIdentityTests {
    static let orders: [(PageKind, PageKind)] = [(.login, .enrol), (.enrol, .login), (.login, .login), (.enrol, .enrol)]

    @Test("Two pages of one browser each show their own, in both orders and of both kinds", arguments: orders)
    func keepsApart(first: PageKind, second: PageKind) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let pages = [
                try await browser.open(first, nonce: "the-nonce-of-the-first-page"),
                try await browser.open(second, nonce: "the-nonce-of-another-page"),
            ]
            let jar = pages.joined(separator: "; ")
            var links: Set<String> = []
            for (cookie, kind) in zip(pages, [first, second]) {
                let shown = JSONObject(try await browser.get("/pages/state", cookie: jar, page: PageClient.page(cookie)).body)
                #expect(shown.text("kind") == kind.rawValue)
                #expect(shown.text("state") == "waiting")
                links.insert(try #require(shown.text("link")))
            }
            #expect(links.count == 2)
        }
    }

    @Test("The right code of an enrolment is right, whatever page was opened in another tab meanwhile")
    func confirmsBesideLogin() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let enrol = try await browser.open(.enrol)
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            let login = try await browser.open(.login, nonce: "the-nonce-of-another-page", cookie: enrol)
            let jar = "\(enrol); \(login)"
            let answer = try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: jar, page: PageClient.page(enrol))
            #expect(JSONObject(answer.body).text("outcome") == "done")
        }
    }

    @Test(
        "A request that names no page, or one that is not this browser's, is told nothing of the pages that it has",
        arguments: ["/pages/state", "/pages/events", "/pages/renew", "/pages/code"])
    func refusesOtherPages(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (mine, other) = (try await browser.open(.enrol), try await browser.open(.login, nonce: "the-nonce-of-another-page"))
            for page in [nil, "", "x", "AAAAAAAAAAAA", PageClient.page(other)] {
                let response =
                    path == "/pages/renew" || path == "/pages/code"
                    ? try await browser.post(path, #"{"code":"K7Q3"}"#, cookie: mine, page: page)
                    : try await browser.get(path, cookie: mine, page: page)
                #expect(response.status == .unauthorized)
                #expect(JSONObject(response.body).text("error") == "no_page")
            }
        }
    }

    @Test("A login page begins anew also while an enrolment of the same nonce waits for its code")
    func loginBesideEnrolment() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            _ = try await browser.open(.enrol)
            let (claim, _) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            let login = try await browser.open(.login)
            #expect(try await browser.post("/pages/renew", "{}", cookie: login).status == .ok)
        }
    }

    @Test("The frames are those of the page that began the session, as long as a phone is awaited, and of no enrolment")
    func frames() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (pages, view, now) = (premises.pageRoutes.pages, premises.pageRoutes.view, premises.clock.now)
            func opened(_ kind: PageKind, nonce: String = PagesFixture.nonce) async throws -> OpenPage {
                let page = try await pages.redeem(try await browser.ticket(kind, nonce: nonce), at: now)
                guard let link = try await view.begin(page, isNewest: true, at: now) else { return page }
                try await view.keep(link, for: page, at: now)
                return try await pages.page(of: page.cookie, at: now)
            }
            func frames(of page: OpenPage, after seconds: UInt64 = 0) async throws -> Int? {
                try await view.snapshot(of: page, style: .moving, at: now + seconds).code?.next.count
            }
            let first = try await opened(.login)
            #expect(try await frames(of: first) == CodeFrames.ahead)
            let second = try await opened(.login)
            #expect(try await frames(of: first) == nil)
            #expect(try await frames(of: second) == CodeFrames.ahead)
            #expect(try await frames(of: try await opened(.enrol, nonce: "the-nonce-of-another-page")) == 0)
            #expect(try await frames(of: second, after: 300) == CodeFrames.ahead)
            #expect(try await frames(of: second, after: 301) == nil)
        }
    }

    @Test("A cookie that was put under the name of another page opens neither")
    func refusesSwappedCookie() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (mine, other) = (try await browser.open(.login), try await browser.open(.login, nonce: "the-nonce-of-another-page"))
            let page = try #require(PageClient.page(mine))
            let swapped = "__Host-ostiary-\(page)\(other.drop { $0 != "=" })"
            let response = try await browser.get("/pages/state", cookie: swapped, page: page)
            #expect(response.status == .unauthorized)
            #expect(JSONObject(response.body).text("error") == "other_page")
        }
    }

    @Test(
        "A cookie whose name only looks like that of a page is somebody else's, and opens nothing", arguments: ["__Evil-ostiary-", "ostiary-", "x"])
    func refusesOtherNames(prefix: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.login)
            let page = try #require(PageClient.page(cookie))
            let value = cookie.drop { $0 != "=" }
            let padded = String(repeating: "_", count: max(0, "__Host-ostiary-".count - prefix.count))
            for name in ["\(prefix)\(page)", "\(prefix)\(padded)\(page)"] {
                let response = try await browser.get("/pages/state", cookie: name + value, page: page)
                #expect(response.status == .unauthorized, "\(name)")
            }
            #expect(try await browser.get("/pages/state", cookie: cookie, page: page).status == .ok)
        }
    }

    @Test("Only what can be a ticket or a cookie of ours is looked for: 32 bytes of base64url")
    func secrets() {
        for bytes in [0, 16, 31, 32, 33, 48] {
            let text = Base64URL.encode([UInt8](repeating: 7, count: bytes))
            #expect((PageSecret(received: text)?.text == text) == (bytes == 32))
        }
        #expect(PageSecret(received: String(repeating: "+", count: 43)) == nil)
    }

    @Test("A browser keeps eight pages; with the ninth it is told to forget the one that was opened first")
    func boundsCookies() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            var jar: [String] = []
            for number in 0..<10 {
                let ticket = try await browser.ticket(nonce: "the-nonce-of-page-number-\(number)")
                let told = try await browser.redeem(ticket, cookie: jar.reversed().joined(separator: "; ")).headers[values: .setCookie]
                // Twice: a browser that keeps the cookies of frames apart has it in one place or the other.
                let forgotten = told.filter { $0.hasSuffix("; Max-Age=0") }.compactMap(PageClient.page)
                #expect(forgotten == (number < 8 ? [] : Array(repeating: try #require(PageClient.page(jar[0])), count: 2)))
                jar.removeAll { forgotten.contains(PageClient.page($0) ?? "") }
                jar.append(String(try #require(told.first).prefix { $0 != ";" }))
                premises.clock.advance(1)
            }
            #expect(jar.count == PageCookie.limit)
            for cookie in jar { #expect(try await browser.state(cookie).text("state") == "waiting") }
        }
    }

    @Test("A page begins anew five times in a row, then once in twenty seconds, and says how long to wait; another page is not held up")
    func limitsRenewals() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (page, other) = (try await browser.open(.enrol), try await browser.open(.enrol, nonce: "the-nonce-of-another-page"))
            for _ in 0..<5 { #expect(try await browser.post("/pages/renew", "{}", cookie: page).status == .ok) }
            premises.clock.advance(5)
            let link = try await browser.state(page).text("link")
            for _ in 0..<3 {
                let refused = try await browser.post("/pages/renew", "{}", cookie: page)
                #expect(refused.status == .tooManyRequests && JSONObject(refused.body).text("error") == "too_often")
                #expect(refused.headers[.retryAfter] == "15")
            }
            #expect(try await browser.state(page).text("link") == link)
            #expect(try await browser.post("/pages/renew", "{}", cookie: other).status == .ok)
            premises.clock.advance(15)
            #expect(try await browser.post("/pages/renew", "{}", cookie: page).status == .ok)
            #expect(try await browser.post("/pages/renew", "{}", cookie: page).status == .tooManyRequests)
        }
    }
}
