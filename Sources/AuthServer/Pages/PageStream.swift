import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// The stream of one page: a snapshot whenever something happens; while a phone is awaited, with each look into the store the code of the next seconds.
struct PageStream: Sendable {
    /// Wakings by the ticker between signs of life.
    private static let looksPerHeartbeat = 3

    let page: OpenPage
    /// The page as it is kept now: since the stream was opened it may have begun another enrolment, or its site may have logged out.
    let kept: @Sendable () async throws -> OpenPage
    let view: PageView
    let signals: PageSignals
    /// Whether the person asked for a code that does not move.
    let isStill: Bool
    let clock: @Sendable () -> Instant
    /// After this the browser has to show its cookie again.
    let deadline: Instant

    /// Writes until the server drains, the browser goes away or the page is over.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        defer { signals.end() }
        var memory = PageMemory()
        var shown = try await look(&memory)
        try await writer.write(EventStreamText.retry)
        try await send(shown, to: &writer)
        var looks = 0
        for await signal in signals.stream {
            let now = clock()
            // Further away than it ever was: the clock had run ahead when the stream began.
            guard now < deadline, deadline.seconds(since: now) <= PageLifetime.page + PhoneRequest.window else { break }
            if case .news(let news) = signal, news.kind == .scanned { memory.noteScan() }
            let next = try await look(&memory)
            if case .tick = signal { looks += 1 }
            if !isSame(next, as: shown) {
                try await send(next, to: &writer)
            } else if case .tick = signal {
                try await keepUp(looks, next, to: &writer)
            }
            shown = next
        }
    }

    /// The page as it is now.
    private func look(_ memory: inout PageMemory) async throws -> PageSnapshot {
        let now = clock()
        let style = isStill ? LinkStyle.still : .moving
        var snapshot = try await view.snapshot(of: page.page.kind == .enrol ? try await kept() : page, style: style, at: now)
        if snapshot.mayBeOver, page.page.kind == .login { snapshot = try await view.snapshot(of: try await kept(), style: style, at: now) }
        memory.note(snapshot.state)
        snapshot.isRead = memory.isRead
        return snapshot
    }

    /// Whether the browser shows it already, but for the code of a login, which changes with time alone.
    private func isSame(_ next: PageSnapshot, as shown: PageSnapshot) -> Bool {
        next.state == shown.state && next.device == shown.device && next.isRead == shown.isRead && next.beside == shown.beside
            && next.mayTakeOver == shown.mayTakeOver && next.renews == shown.renews && next.triesLeft == shown.triesLeft
            // The link of a login changes with its code.
            && (page.page.kind == .login || next.link == shown.link)
    }

    /// The code of the next seconds when it is due, otherwise now and then a sign of life.
    private func keepUp(_ looks: Int, _ shown: PageSnapshot, to writer: inout any ResponseBodyWriter) async throws {
        if shown.state == .waiting, page.page.kind == .login, let code = shown.code, !isStill || looks % shown.looksPerStillCode == 0 {
            try await writer.write(EventStreamText.event("code", code.write))
        } else if looks % Self.looksPerHeartbeat == 0 {
            try await writer.write(EventStreamText.heartbeat)
        }
    }

    private func send(_ snapshot: PageSnapshot, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(EventStreamText.event("page", snapshot.write))
    }
}

extension PageSnapshot {
    /// Whether it looks as after a logout of the site, which the page has to know before it begins anew, or says that another browser came back.
    fileprivate var mayBeOver: Bool { renews || state == .notReturned || state == .loggedOut }

    /// A code that stands still is made again when half of its life is over.
    fileprivate var looksPerStillCode: Int { max(1, Int(stillAge) / 2 / PageTicker.period) }
}
