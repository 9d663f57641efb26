import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends a request many times over a few kept connections, and meters the server.
/// - Parameters:
///   - turns: what requests say beside `headers`, each in its turn.
///   - form: what is posted; nil for a GET.
func load(
    _ url: String, headers: [(String, String)] = [], turns: [[(String, String)]] = [[]], form: String? = nil, count: Int, connections: Int = 8,
    server: () -> any Meter
) async throws -> Cost {
    let turns = turns.map { headers + $0 }
    try await ask(url, turns, form: form, count: count / 5, connections: connections)
    let meter = server()
    let before = meter.now()
    try await ask(url, turns, form: form, count: count, connections: connections)
    return (meter.now() - before).each(of: count)
}

/// Sends a request `count` times over a few kept connections, with the headers that stand in `turns`, in turn.
func ask(_ url: String, _ turns: [[(String, String)]], form: String? = nil, count: Int, connections: Int = 8) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for connection in 0..<connections {
            group.addTask {
                for number in stride(from: connection, to: count, by: connections) {
                    var request = HTTPClientRequest(url: url)
                    if let form { request.setForm(form) }
                    for (name, value) in turns[number % turns.count] { request.headers.add(name: name, value: value) }
                    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
                    guard response.status == .ok else { throw BenchError("\(url): \(response.status)") }
                    _ = try await response.body.collect(upTo: 1 << 20)
                }
            }
        }
        try await group.waitForAll()
    }
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
