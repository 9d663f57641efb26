import Foundation
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The page of the demonstration, without its servers.
@Suite("The page of the demonstration", .timeLimit(.minutes(10)))
struct DemoPageTests {
    @Test("Without the secret there are the files of the page and the documents, and nothing that tells or does something")
    func open() throws {
        let docs = try #require(ProtocolPages.docs(near: URL(fileURLWithPath: #filePath)))
        let open = DemoPage.open(with: ProtocolPages(docs: docs))
        #expect(open.isSuperset(of: ["/", "/demo.js", "/demo.css", "/protocol.css", "/protocol/index", "/protocol/login"]))
        #expect(open.allSatisfy { !$0.hasPrefix("/demo/") })
        #expect(DemoPage.open(with: ProtocolPages(docs: nil)).count == 4)
    }

    @Test("The tour has ten steps, each with an attack of its own; nothing of them is said twice")
    func tour() {
        #expect(TourStep.allCases.count == 10)
        #expect(Set(TourStep.allCases.map(\.attack)).count == 10 && Set(TourStep.allCases.map(\.attack)) == Set(ThiefMove.allCases))
        #expect(Set(TourStep.allCases.flatMap { [$0.title, $0.task, $0.sentence] }).count == 30)
        #expect(Set(ThiefMove.allCases.flatMap { [$0.title, $0.plan, $0.why] }).count == 30)
    }

    @Test("Where the tour points to docs/protocol there is such a section")
    func sections() throws {
        let docs = try #require(ProtocolPages.docs(near: URL(fileURLWithPath: #filePath)))
        let pages = ProtocolPages(docs: docs)
        for move in ThiefMove.allCases {
            let page = try #require(pages.page(move.section.page), "\(move)")
            #expect(page.contains(" id=\"\(move.section.anchor)\""), "\(move): \(move.section.anchor)")
            #expect(pages.address(of: move.section.page, move.section.anchor) == "/protocol/\(move.section.page)#\(move.section.anchor)")
        }
        let index = try #require(pages.page("index"))
        #expect(index.contains("href=\"/protocol/login\"") && index.contains("<table>") && !index.contains("](login.md)"))
        #expect(ProtocolPages(docs: nil).isEmpty && ProtocolPages(docs: nil).address(of: "login", "l5") == nil)
    }

    @Test("What is done is told in the order of the tour, once, also to whoever comes late")
    func progress() async {
        let progress = TourProgress()
        progress.note([.logIn])
        progress.note([.scan, .logIn])
        progress.note([.scan])
        #expect(progress.done == [.scan, .logIn])
        var changes = progress.changes.makeAsyncIterator()
        #expect(await changes.next() == [.scan, .logIn])
        progress.note([.scan])
        progress.note([.look])
        #expect(await changes.next() == [.scan, .logIn, .look])
    }

    @Test("An attack that works is told as a defect, one that could not be tried as nothing shown")
    func verdict() async {
        struct Trouble: Error, CustomStringConvertible { let description = "no network" }
        #expect(await ThiefDesk.verdict(seen: { ["a"] }, of: {}) == .held(["a"]))
        #expect(await ThiefDesk.verdict(seen: { ["a"] }, of: { throw AttackSucceeded(what: "in") }) == .succeeded("in", after: ["a"]))
        #expect(await ThiefDesk.verdict(seen: { ["a"] }, of: { throw Trouble() }) == .notTried("no network"))
    }

    @Test("A website tells a phone that is gone, an end on the phone and a newer login apart")
    func ends() async {
        let inside = DemoBackend.Status(loggedin: true, userid: "bob", accountid: nil, amr: nil, state: "loggedin", logintime: 100, expiresat: 415)
        let outside = DemoBackend.Status(loggedin: false, userid: nil, accountid: nil, amr: nil)
        var asked = outside
        asked.state = "open"
        var later = inside
        later.logintime = 200
        var alive = inside
        alive.expiresat = 700
        #expect(SessionEnd.found(last: inside, now: alive, at: 300) == nil && SessionEnd.found(last: outside, now: outside, at: 500) == nil)
        #expect(SessionEnd.found(last: inside, now: outside, at: 414) == .elsewhere)
        #expect(SessionEnd.found(last: inside, now: outside, at: 415) == .phoneGone)
        #expect(SessionEnd.found(last: inside, now: asked, at: 414) == .replaced && SessionEnd.found(last: inside, now: later, at: 414) == .replaced)

        let visitors = Visitors(isSecure: false)
        let (nonce, other) = (await visitors.arrive().nonce, await visitors.arrive().nonce)
        #expect(await visitors.hear(inside, of: nonce, at: 100) == (true, nil))
        #expect(await visitors.hear(inside, of: nonce, at: 101) == (false, nil))
        #expect(await visitors.hear(outside, of: nonce, at: 102) == (false, .elsewhere))
        #expect(await visitors.hear(outside, of: nonce, at: 900) == (false, .elsewhere), "the reason stays until somebody comes in again")
        #expect(await visitors.hear(later, of: nonce, at: 901) == (true, nil))
        #expect(await visitors.hear(outside, of: other, at: 902) == (false, nil))
        #expect(await visitors.hear(inside, of: "nobody's", at: 903) == (false, nil))
    }

    @Test("Every address is the number that is listened at: a name may lead a browser to whoever listens at another one; all pages are one site")
    func addressesByNumber() throws {
        let folder = try TemporaryFolder()
        let layout = try DemoLayout(data: folder.url, isWitnessed: true)
        let addresses = [layout.publicURL, layout.adminURL, layout.secondFactorURL, layout.siteURL, try #require(layout.pageURL)]
        let origins = try addresses.map { try PublicURL(parsing: $0) }
        #expect(origins.map(\.host) == Array(repeating: "127.0.0.1", count: 5) && Set(origins.map(\.port)).count == 5)
        let environment = layout.authenticationEnvironment(secondFactorIdentity: "")
        #expect(environment["OSTIARY_PUBLIC_URL"] == layout.publicURL && environment["OSTIARY_LISTEN"]?.hasPrefix("127.0.0.1:") == true)
    }

    @Test("On a terminal of 80 columns and 24 rows every address stays on the screen, with what follows it")
    func smallTerminal() throws {
        let folder = try TemporaryFolder()
        let layout = try DemoLayout(data: folder.url, isWitnessed: true)
        let page = "http://127.0.0.1:\(layout.pagePort ?? 0)/#\(Base64URL.encode([UInt8](repeating: 7, count: 16)))"
        let overview = DemoOverview(layout: layout, pageAddress: page, keepsData: false)
        let link = EnrolLink(
            rootHash: [UInt8](repeating: 1, count: 32), enrolID: EnrolmentID(using: SeededRandom("link")),
            enrolSecret: [UInt8](repeating: 2, count: 16), url: layout.publicURL)
        let program = CommandLine.arguments.first ?? ""
        let printed = (overview.lines + overview.enrolmentLines(link.encoded) + [DemoTour.prompt]).map { line in
            line.replacing(folder.path, with: "/tmp/ostiary-demo-abcdefgh").replacing(program, with: ".build/debug/ostiary")
        }
        let first = try #require(printed.firstIndex { $0.contains(page) })
        #expect(DemoOverview.rows(of: Array(printed[first...])) <= 24)
        for address in overview.addresses { #expect(address.contains("data ") || address.count <= 80, "\(address)") }
        for address in [page, layout.siteURL, layout.publicURL, layout.adminURL, layout.secondFactorURL] {
            #expect(printed.contains { $0.hasSuffix(address) })
        }
        #expect(DemoOverview.rows(of: ["", String(repeating: "x", count: 80), String(repeating: "x", count: 81)]) == 4)
    }

    @Test("A browser is given a file that only its owner reads, and no address with a secret in its arguments")
    func opener() throws {
        #expect(BrowserOpener.page(to: "http://127.0.0.1:1/#a\"b").contains("content=\"0;url=http://127.0.0.1:1/#a&quot;b\""))
        let folder = try TemporaryFolder()
        let program = try folder.write("#!/bin/sh\nprintf '%s' \"$*\" >\"$(dirname \"$0\")/told\"\n", to: "xdg-open", mode: 0o700)
        #expect(BrowserOpener(environment: ["PATH": folder.path]).opener == nil)
        let opener = BrowserOpener(environment: ["PATH": folder.path + ":/bin:/usr/bin", "DISPLAY": ":0"])
        #expect(opener.opener == program)
        #expect(opener.open("http://127.0.0.1:1/#secret", by: folder.url))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("open.html"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}

/// Comparing two tuples of an actor's answer.
private func == (left: (isNew: Bool, end: SessionEnd?), right: (Bool, SessionEnd?)) -> Bool { left.isNew == right.0 && left.end == right.1 }
