import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// The stream of one page: a snapshot whenever something happens, a new code every second while a phone is awaited.
struct PageStream: Sendable {
    /// Ticks between looks into the store for what no news came of, and between signs of life.
    private static let ticksPerLook = 5
    private static let ticksPerHeartbeat = 15

    let page: OpenPage
    /// The page as it is kept now: it may have begun another enrolment since the stream was opened.
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
        var ticks = 0
        for await signal in signals.stream {
            let now = clock()
            // Further away than it ever was: the clock had run ahead when the stream began.
            guard now < deadline, deadline.seconds(since: now) <= PageLifetime.page + PhoneRequest.window else { break }
            switch signal {
            case .news(let news):
                if news.kind == .scanned { memory.noteScan() }
                shown = try await show(shown, &memory, to: &writer)
            case .tick:
                ticks += 1
                if ticks % Self.ticksPerLook == 0 { shown = try await show(shown, &memory, to: &writer) }
                try await keepUp(ticks, shown: shown, to: &writer)
            }
        }
    }

    /// The page as it is now.
    private func look(_ memory: inout PageMemory) async throws -> PageSnapshot {
        let now = clock()
        let page = page.page.kind == .enrol ? try await kept() : page
        var snapshot = try await view.snapshot(of: page, style: isStill ? .still : .moving, at: now)
        memory.note(snapshot.state)
        snapshot.isRead = memory.isRead
        return snapshot
    }

    /// Sends the page as it is now if it is not what the browser shows.
    private func show(_ shown: PageSnapshot, _ memory: inout PageMemory, to writer: inout any ResponseBodyWriter) async throws -> PageSnapshot {
        let next = try await look(&memory)
        let isSame =
            next.state == shown.state && next.device == shown.device && next.isRead == shown.isRead && next.beside == shown.beside
            && next.mayTakeOver == shown.mayTakeOver
            // The link of a login changes with its code.
            && (page.page.kind == .login || next.link == shown.link)
        if !isSame { try await send(next, to: &writer) }
        return next
    }

    /// The next frame when one is due, otherwise now and then a sign of life.
    private func keepUp(_ ticks: Int, shown: PageSnapshot, to writer: inout any ResponseBodyWriter) async throws {
        let isDue = shown.state == .waiting && (!isStill || ticks % shown.ticksPerStillCode == 0)
        if isDue, let session = shown.awaiting, let code = try await view.code(of: session, style: isStill ? .still : .moving, at: clock()) {
            try await writer.write(EventStreamText.event("code", code.write))
        } else if ticks % Self.ticksPerHeartbeat == 0 {
            try await writer.write(EventStreamText.heartbeat)
        }
    }

    private func send(_ snapshot: PageSnapshot, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(EventStreamText.event("page", snapshot.write))
    }
}

extension PageSnapshot {
    /// A code that stands still is made again when half of its life is over.
    fileprivate var ticksPerStillCode: Int { max(1, Int(stillAge) / 2) }
}
