import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends one request many times over a few kept connections, and meters the server.
/// - Parameters:
///   - headersOf: what each connection says beside `headers`.
///   - form: what is posted; nil for a GET.
func load(
    _ url: String, headers: [(String, String)] = [], headersOf: (Int) -> [(String, String)] = { _ in [] }, form: String? = nil, count: Int,
    connections: Int = 8, server: () -> any Meter
) async throws -> Cost {
    let headers = (0..<connections).map { headers + headersOf($0) }
    func run(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for headers in headers {
                group.addTask {
                    for _ in 0..<count / connections {
                        var request = HTTPClientRequest(url: url)
                        if let form { request.setForm(form) }
                        for (name, value) in headers { request.headers.add(name: name, value: value) }
                        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
                        guard response.status == .ok else { throw BenchError("\(url): \(response.status)") }
                        _ = try await response.body.collect(upTo: 1 << 20)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
    try await run(count / 5)
    let meter = server()
    let before = meter.now()
    try await run(count)
    return (meter.now() - before).each(of: count)
}

/// Sends one request after the other, each after a pause, and meters the server: what a request costs when nothing is in the caches any more and
/// every thread sleeps.
func trickle(_ url: String, count: Int, pause: Duration, server: any Meter) async throws -> Cost {
    let before = server.now()
    for _ in 0..<count {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 1 << 20)
        try await Task.sleep(for: pause)
    }
    return (server.now() - before).each(of: count)
}
