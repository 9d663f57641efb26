import Foundation
import Hummingbird
import OstiaryMobile

/// The browser port on a computer (RFC 8252 §7.3): the person opens an address in a browser of this machine, which comes back to a port of 127.0.0.1 where
/// this process listens meanwhile.
struct LoopbackBrowser: WebBrowser {
    /// Shows an address to the person.
    let show: @Sendable (URL) -> Void

    init(_ show: @escaping @Sendable (URL) -> Void) { self.show = show }

    /// - Parameter redirectURL: http to 127.0.0.1: without a port, for any that is free, or with one.
    func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit {
        guard redirectURL.scheme == "http", redirectURL.host == "127.0.0.1" else { throw .unavailable }
        let callbacks = Callbacks()
        guard let port = await callbacks.listen(on: redirectURL.port ?? 0, path: redirectURL.path) else { throw .unavailable }
        var here = URLComponents(url: redirectURL, resolvingAgainstBaseURL: false)
        here?.port = port
        guard let here = here?.url else { throw .unavailable }
        return LoopbackVisit(redirectURL: here, callbacks: callbacks, show: show)
    }
}

private struct LoopbackVisit: BrowserVisit {
    let redirectURL: URL
    let callbacks: Callbacks
    let show: @Sendable (URL) -> Void

    func open(_ url: URL) async throws(BrowserError) -> URL {
        show(url)
        let state = Self.state(of: url)
        for await query in callbacks.queries {
            guard let callback = URL(string: "\(redirectURL.absoluteString)?\(query)") else { continue }
            // Any page and any program of this machine can come to this port. Without the state of this visit it is not heard, and ends nothing.
            guard state == nil || Self.state(of: callback) == state else { continue }
            callbacks.stop()
            return callback
        }
        throw Task.isCancelled ? .cancelled : .unavailable
    }

    private static func state(of url: URL) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?.value
    }
}
