import Foundation
import Hummingbird

/// A small server for one visit. It listens from before the browser is opened until it came back, or nobody waits any longer.
final class Callbacks: Sendable {
    private static let page = """
        <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Timesheets</title></head>
        <body><p>You can close this page: Timesheets goes on in the terminal.</p></body></html>
        """

    /// The queries by which somebody came, one after the other.
    let queries: AsyncStream<String>
    private let heard: AsyncStream<String>.Continuation
    private let serving: ServingTask

    init() {
        (queries, heard) = AsyncStream.makeStream(of: String.self)
        serving = ServingTask()
    }

    /// - Returns: the port at which it listens; nil where there is none to be had.
    func listen(on port: Int, path: String) async -> Int? {
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        var application = Application(
            router: router(path), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in started.yield(channel.localAddress?.port ?? 0) })
        application.logger.logLevel = .critical
        let running = application
        await serving.begin { [heard] in
            try? await running.runService(gracefulShutdownSignals: [])
            started.finish()
            heard.finish()
        }
        for await port in ports { return port }
        return nil
    }

    func stop() async { await serving.end() }

    private func router(_ path: String) -> Router<BasicRequestContext> {
        let router = Router()
        router.get(RouterPath(path)) { [heard] request, _ -> Response in
            guard let query = request.uri.query else { return Response(status: .notFound) }
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: Self.page))
                try await writer.finish(nil)
                // Told once the page is written: whoever hears it ends this server.
                heard.yield(query)
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

/// What goes on until it is ended, or forgotten.
private actor ServingTask {
    private var task: Task<Void, Never>?

    func begin(_ work: @escaping @Sendable () async -> Void) { task = Task { await work() } }

    func end() { task?.cancel() }

    deinit { task?.cancel() }
}
