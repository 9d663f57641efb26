import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// Session events for the pages of business applications, by `hsid` only: what happened, never to whom.
struct SessionEventStream: Sendable {
    /// Wakings by the ticker between signs of life.
    private static let wakingsPerHeartbeat = 3

    let signals: PageSignals
    let server: ServerID
    let stream: StreamID
    /// Asked once the signals are heard, so that nothing falls between.
    let isLoggedIn: @Sendable () async throws -> Bool

    func write(to writer: inout any ResponseBodyWriter) async throws {
        defer { signals.end() }
        try await writer.write(EventStreamText.retry)
        // How it is now: whoever was away, or comes late, has missed nothing.
        var shown = Shown(isLoggedIn: try await isLoggedIn())
        try await send(Self.name(isLoggedIn: shown.isLoggedIn), to: &writer)
        var wakings = 0
        for await signal in signals.stream {
            switch signal {
            case .news(let news):
                if news.kind == .missed { _ = try await lookAgain(&shown, to: &writer) }
                guard let name = Self.name(of: news.kind), !shown.isKnown(news.kind) else { continue }
                try await send(name, to: &writer)
            case .tick:
                wakings += 1
                guard wakings % Self.wakingsPerHeartbeat == 0 else { continue }
                // News from another node may be lost; the row is not.
                if try await !lookAgain(&shown, to: &writer) { try await writer.write(EventStreamText.heartbeat) }
            case .displaced: try await writer.write(EventStreamText.retryLater)
            }
        }
    }

    /// Tells what the row says, where that is something else than what was told last.
    /// - Returns: whether there was something to tell.
    private func lookAgain(_ shown: inout Shown, to writer: inout any ResponseBodyWriter) async throws -> Bool {
        // While the database is away it is as it was.
        guard let isNow = try? await isLoggedIn(), isNow != shown.isLoggedIn else { return false }
        shown = Shown(isLoggedIn: isNow, isAhead: true)
        try await send(Self.name(isLoggedIn: isNow), to: &writer)
        return true
    }

    private func send(_ name: StaticString, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(EventStreamText.event(name, write))
    }

    private static func name(isLoggedIn: Bool) -> StaticString { isLoggedIn ? "LOGIN" : "LOGOUT" }

    private func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("session", stream.text)
            writer.member("server", server.text)
        }
    }

    /// Nil for what is no business of a browser.
    private static func name(of kind: SessionNews.Kind) -> StaticString? {
        switch kind {
        case .scanned: "CONFIRMSCAN"
        case .loggedIn: "LOGIN"
        case .loggedOut, .expired: "LOGOUT"
        case .cancelled: "CANCEL"
        case .enrolment(.activated): "LOGIN"
        case .claimed, .phoneState, .returning, .enrolment, .accountChanged, .missed: nil
        }
    }
}

/// What the page was told last.
private struct Shown {
    var isLoggedIn: Bool
    /// Whether it was read in the row, so that the news of it may still come.
    var isAhead = false

    /// Notes what is told now.
    /// - Returns: whether it is what the row has told already.
    mutating func isKnown(_ kind: SessionNews.Kind) -> Bool {
        guard let isNow = kind.leavesLoggedIn else { return false }
        defer { (isLoggedIn, isAhead) = (isNow, false) }
        return isAhead && isNow == isLoggedIn
    }
}

extension SessionNews.Kind {
    /// Whether somebody is logged in after it; nil where it says nothing of that.
    fileprivate var leavesLoggedIn: Bool? {
        switch self {
        case .loggedIn, .enrolment(.activated): true
        case .loggedOut, .expired: false
        case .scanned, .claimed, .returning, .phoneState, .cancelled, .enrolment, .accountChanged, .missed: nil
        }
    }
}
