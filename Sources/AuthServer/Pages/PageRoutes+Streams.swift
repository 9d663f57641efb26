import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol

/// The streams of server-sent events.
extension PageRoutes {
    /// What happens to the page. `still` asks for a code that does not move.
    func stream(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let page = try await page(of: request, knowing: ["still"], at: clock())
        guard let place = pageGate.enter(page.id.text, from: context.peer) else { throw PageRefusal.busy }
        let stream = try await stream(of: page, isStill: RequestQuery(request).value("still") != nil, for: context.otherEnd)
        return .events(in: place) { writer in try await stream.write(to: &writer) }
    }

    /// LOGIN, LOGOUT, CONFIRMSCAN and CANCEL of one session, for pages of business applications on any site.
    func sessionEvents(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let query = RequestQuery(request)
        try query.check(knows: ["server", "session"])
        let server = try Self.server(query.value("server") ?? "", field: "server")
        guard let session = try query.value("session").flatMap({ StreamID(text: $0) }) else { throw FieldRefusal.bad("session", "is an hsid") }
        _ = try await domain.servers.virtualServer(server)
        guard try await domain.sessions.isKnown(stream: session, at: server) else { throw PageRefusal.noSession }
        guard let place = eventGate.enter(session.text, from: context.peer) else { throw PageRefusal.busy }
        let signals = PageSignals(of: [.stream(session)], events: domain.events, ticker: ticker, drain: drain, otherEnd: context.otherEnd)
        place.whenLost { signals.giveWay() }
        let stream = SessionEventStream(signals: signals, server: server, stream: session) { [domain, clock] in
            try await domain.sessions.isLoggedIn(stream: session, at: server, now: clock())
        }
        var response = Response.events(in: place) { writer in try await stream.write(to: &writer) }
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.crossOriginResourcePolicy] = "cross-origin"
        return response
    }

    static func server(_ text: some StringProtocol, field: String) throws(FieldRefusal) -> ServerID {
        guard let server = ServerID(text: String(text)) else { throw .bad(field, "is a serverid") }
        return server
    }

    /// - Parameter otherEnd: of the connection that it is for; nil where there is none.
    func stream(of page: OpenPage, isStill: Bool, for otherEnd: OtherEnd? = nil) async throws -> PageStream {
        let topic = EventTopic.stream(try await domain.sessions.stream(of: page.nonce, at: page.page.serverID))
        return PageStream(
            page: page, kept: { [pages, clock] in try await pages.page(of: page.cookie, at: clock()) }, view: view,
            signals: PageSignals(of: [topic], events: domain.events, ticker: ticker, drain: drain, otherEnd: otherEnd), isStill: isStill,
            clock: clock, deadline: clock() + PageLifetime.page)
    }
}

extension Response {
    /// A stream of server-sent events; it ends when `write` returns, and has its place until then.
    fileprivate static func events(
        in place: StreamGate.Place, _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store", HTTPField.Name("X-Accel-Buffering")!: "no"],
            body: ResponseBody { writer in
                do {
                    defer { place.leave() }
                    try await write(&writer)
                }
                try await writer.finish(nil)
            })
    }
}
