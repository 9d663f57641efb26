import Foundation
import Hummingbird
import ServiceLifecycle

/// A small server for one visit. It listens from before the browser is opened until it came back, or nobody waits any longer.
final class Callbacks: Sendable {
    private static let page = """
        <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Timesheets</title></head>
        <body><p>You can close this page: Timesheets goes on in the terminal.</p></body></html>
        """

    /// The queries by which somebody came, one after the other.
    let queries: AsyncStream<String>
    private let heard: AsyncStream<String>.Continuation

    init() { (queries, heard) = AsyncStream.makeStream(of: String.self) }

    /// - Returns: the port at which it listens; nil where there is none to be had.
    func listen(on port: Int, path: String) async -> Int? {
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        var application = Application(
            router: router(path), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in started.yield(channel.localAddress?.port ?? 0) })
        application.logger.logLevel = .critical
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: application.logger))
        // Also when nobody waits any longer. In good order and never by cancelling its task: browsers open connections ahead, and NIO ends a process in which
        // one of them was accepted and then dropped.
        heard.onTermination = { _ in Task { await group.triggerGracefulShutdown() } }
        Task { [heard] in
            try? await group.run()
            started.finish()
            heard.finish()
        }
        for await port in ports { return port }
        return nil
    }

    func stop() { heard.finish() }

    private func router(_ path: String) -> Router<BasicRequestContext> {
        let router = Router()
        router.get(RouterPath(path)) { [heard] request, _ -> Response in
            guard let query = request.uri.query else { return Response(status: .notFound) }
            // At once: a browser that has come back and goes away before it has its page, has come back. Whoever hears it ends this server in good order, so that
            // the page is written nevertheless.
            heard.yield(query)
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: Self.page))
                try await writer.finish(nil)
            }
            let fields: HTTPFields = [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: "default-src 'none'",
                .connection: "close",
            ]
            return Response(status: .ok, headers: fields, body: body)
        }
        return router
    }
}
