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
        try await writer.write(EventStreamText.event(try await isLoggedIn() ? "LOGIN" : "LOGOUT", write))
        var wakings = 0
        for await signal in signals.stream {
            switch signal {
            case .news(let news):
                guard let name = Self.name(of: news.kind) else { continue }
                try await writer.write(EventStreamText.event(name, write))
            case .tick:
                wakings += 1
                if wakings % Self.wakingsPerHeartbeat == 0 { try await writer.write(EventStreamText.heartbeat) }
            }
        }
    }

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
        case .claimed, .phoneState, .returning, .enrolment, .accountChanged: nil
        }
    }
}
