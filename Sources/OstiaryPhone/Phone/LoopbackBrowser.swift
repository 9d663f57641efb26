import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryMobile
import OstiaryProtocol

/// Any browser of this machine: it is told an address by the person, and comes back to a port of 127.0.0.1 at which this process waits (RFC 8252 §7.3).
///
/// Another program of the machine, or a page in any of its browsers, could come in its place. It has no code of this login, and without the state that the
/// address was opened with it is not heard, so that it ends nothing either.
struct LoopbackBrowser: WebBrowser {
    /// Shows an address to the person.
    let show: @Sendable (URL) -> Void

    init(_ show: @escaping @Sendable (URL) -> Void) { self.show = show }

    /// - Parameter redirectURL: http to 127.0.0.1, without a port.
    func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit {
        guard var address = URLComponents(url: redirectURL, resolvingAgainstBaseURL: false), address.scheme == "http", address.host == "127.0.0.1",
            address.port == nil, let reserved = try? ReservedPort()
        else { throw .unavailable }
        address.port = reserved.number
        guard let here = address.url else { throw .unavailable }
        return LoopbackVisit(redirectURL: here, reserved: reserved, show: show)
    }
}

/// What the browser is shown that has come back.
enum LoopbackPage {
    private static let text = """
        <!doctype html><html lang="en"><head><meta charset="utf-8"><title>ostiary phone</title></head>
        <body><p>You can close this page: the terminal goes on.</p></body></html>
        """

    /// - Parameter told: begins when the page was written, or can't be because the browser is gone.
    static func body(_ told: DrainSignal) -> ResponseBody {
        let page = ByteBuffer(string: text)
        return ResponseBody(contentLength: page.readableBytes) { writer in
            defer { told.begin() }
            try await writer.write(page)
            try await writer.finish(nil)
        }
    }
}

private struct LoopbackVisit: BrowserVisit {
    /// How long the login waits for its browser to take the page; it goes on without.
    private static let courtesy = Duration.seconds(1)

    let redirectURL: URL
    let reserved: ReservedPort
    let show: @Sendable (URL) -> Void

    func open(_ url: URL) async throws(BrowserError) -> URL {
        let (callbacks, heard) = AsyncStream.makeStream(of: URL.self)
        let drain = DrainSignal()
        let runner = ServerRunner(logger: Logger.service("ostiary.phone", level: .critical), drain: drain)
        let told = DrainSignal()
        let answering = listener(heard, told, expecting: Self.state(of: url))
        let serving = Task {
            defer { heard.finish() }
            try await runner.run([answering], stopsOnSignals: false) { [show] _ in show(url) }
        }
        let callback = await withTaskCancellationHandler {
            for await callback in callbacks { return callback as URL? }
            return nil
        } onCancel: {
            serving.cancel()
        }
        // Whoever hears of it may end this process, and a browser whose page is broken off says that something failed.
        if callback != nil { await drain.wait(for: { await told.wait() }, atMost: Self.courtesy) }
        serving.cancel()
        _ = await serving.result
        guard let callback else { throw Task.isCancelled ? BrowserError.cancelled : BrowserError.unavailable }
        return callback
    }

    /// One address, to be read by GET under its own name only: a name of some website that is pointed here gets nothing.
    /// - Parameters:
    ///   - told: begins when the page was written, or can't be.
    ///   - state: that of the address that was opened; nil where it has none.
    private func listener(_ heard: AsyncStream<URL>.Continuation, _ told: DrainSignal, expecting state: String?) -> Listener {
        let (port, path, origin) = (reserved.number, redirectURL.path, redirectURL)
        let limits = ServiceLimits(
            body: 0, idle: .seconds(5), arrival: .seconds(5), connections: ConnectionLimits(total: 64, givesWay: true))
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: limits)
        router.get(RouterPath(path)) { request, _ -> Response in
            guard request.head.authority == "127.0.0.1:\(port)", let query = request.head.path?.split(separator: "?", maxSplits: 1).dropFirst().first,
                let callback = URL(string: "\(origin.absoluteString)?\(query)"), Self.isExpected(callback, state)
            else { return Response(status: .notFound) }
            // At once: a browser that has come back and goes away before it has its page, has come back.
            heard.yield(callback)
            let fields: HTTPFields = [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: "default-src 'none'",
                .connection: "close",
            ]
            return Response(status: .ok, headers: fields, body: LoopbackPage.body(told))
        }
        return Listener("browser", at: ListenAddress(host: "127.0.0.1", port: port), router: router, limits: limits)
    }

    private static func state(of url: URL) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?.value
    }

    private static func isExpected(_ callback: URL, _ state: String?) -> Bool {
        guard let state else { return true }
        return Self.state(of: callback).map { matches(Array($0.utf8), Array(state.utf8)) } ?? false
    }
}
