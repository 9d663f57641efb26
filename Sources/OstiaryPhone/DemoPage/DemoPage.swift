// DemoPage: `ostiary demo`, the website and the phone side by side with what passes between the parties, and a tour whose every step is an
// attack too.
//
// Owns: the command, what it prints in a terminal (DemoTour, DemoOverview), and one page on loopback with its feed, the tour's steps
// and the rendered pages of docs/protocol. The phone's own page comes by a plug (DemoPhone).
// Leaves to others: servers, website and story (Demo), the wire (Witness), attacks (Thief), the phone (PhonePage, or a terminal), who may speak to
// the page (LocalPage).
// Start reading at DemoPage.swift, then DemoShow.swift.

import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol
import Synchronization

/// The routes of the demonstration's own page.
struct DemoPage: Sendable {
    /// Carries the secret of the page's address.
    static let secretHeader = HTTPField.Name("X-Demo-Secret")!

    let origin: PublicURL
    let secret: SecretText
    let siteURL: String
    /// Where login and enrol pages are: the website's frame goes there and comes back.
    let authenticationURL: String
    let phoneCommands: [String]
    let pages: ProtocolPages
    let feed: PageFeed
    let desk: ThiefDesk
    let drain: DrainSignal
    /// Address of the phone's page, once it is open.
    let phoneURL: PhoneAddress

    var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PageHeaders(isSecure: false))
        router.add(
            middleware: LocalPageGuard(
                authority: LocalPageGuard<ServiceRequestContext>.authority(host: origin.host, port: origin.port), header: Self.secretHeader,
                secret: secret, open: Self.open(with: pages), refuse: { _ in .refused }))
        router.addServiceMiddleware()
        router.get("/") { _, _ in
            var response = PageAssets.response(PageAssets.page)
            response.headers[.contentSecurityPolicy] = policy
            return response
        }
        router.get("/demo.js") { _, _ in PageAssets.response(PageAssets.script) }
        router.get("/demo.css") { _, _ in PageAssets.response(PageAssets.style) }
        router.get("/protocol.css") { _, _ in PageAssets.response(PageAssets.protocolStyle) }
        router.get("/protocol/:page") { _, context in
            guard let page = context.parameters.get("page").flatMap({ pages.page($0) }) else { throw ErrorResponse.notFound }
            return PageAssets.response((Array(page.utf8), "text/html; charset=utf-8"))
        }
        let driven = router.group("/demo")
        driven.get("state") { _, _ in Response.json(state.write) }
        driven.get("feed") { _, _ in stream }
        driven.post("looked") { _, _ in
            feed.progress.note([.look])
            return Response.done
        }
        driven.post("thief/:move") { _, context in
            guard let move = context.parameters.get("move").flatMap(ThiefMove.init) else { throw ErrorResponse.notFound }
            return await attempt(move)
        }
        return router
    }

    /// What anybody on this machine may read: files of the program, and documents of its repository.
    static func open(with pages: ProtocolPages) -> Set<String> { pages.paths.union(["/", "/demo.js", "/demo.css", "/protocol.css"]) }

    private var state: PageState { PageState(siteURL: siteURL, phoneURL: phoneURL.value, phoneCommands: phoneCommands, pages: pages) }

    /// Frames show the website, where it sends its visitor, and the phone; nothing else is loaded from anywhere else.
    private var policy: String {
        let frames = [siteURL, authenticationURL] + [phoneURL.origin].compactMap(\.self)
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
            "frame-src \(frames.joined(separator: " "))", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private var stream: Response {
        let (lines, drain) = (feed.lines, drain)
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var lines = lines.makeAsyncIterator()
                while !drain.isDraining, let line = await lines.next() { try await writer.write(ByteBuffer(string: line + "\n")) }
                try await writer.finish(nil)
            })
    }

    private func attempt(_ move: ThiefMove) async -> Response {
        guard let outcome = await desk.attempt(move) else {
            return .object(status: .conflict) { $0.member("outcome", "busy") }
        }
        return .object { writer in
            writer.member("outcome", outcome.word)
            switch outcome {
            case .held(let seen): writer.member("seen", seen)
            case .succeeded(let what, let seen):
                writer.member("seen", seen)
                writer.member("what", what)
            case .notTried(let reason): writer.member("what", reason)
            }
        }
    }
}

extension Response {
    /// What whoever is not the page is told, in words: it may be a person who opened the address without its end.
    fileprivate static var refused: Response {
        let words = ByteBuffer(string: "This is the page of a demonstration: open the address that it printed.\n")
        return Response(status: .forbidden, headers: [.contentType: "text/plain; charset=utf-8"], body: ResponseBody(byteBuffer: words))
    }
}

/// Where the phone's page is, once there is one.
final class PhoneAddress: Sendable {
    private let address = Mutex<String?>(nil)

    /// With its secret.
    var value: String? { address.withLock(\.self) }
    /// Without anything behind the host and the port.
    var origin: String? {
        value.flatMap { $0.split(separator: "#").first }.flatMap { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: true)
            return parts.count >= 2 ? "\(parts[0])//\(parts[1])" : nil
        }
    }

    func open(at address: String) { self.address.withLock { $0 = address } }
}
