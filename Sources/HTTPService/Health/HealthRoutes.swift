import HTTPTypes
import Hummingbird

/// `/live`: the process answers. `/ready`: it can do its work; 503 tells what is missing, `?full=1` lists every check.
package struct HealthRoutes: Sendable {
    private let checks: [any ReadinessCheck]
    private let drain: DrainSignal
    /// How long one check may take.
    private let patience: Duration

    package init(checks: [any ReadinessCheck], drain: DrainSignal, patience: Duration = .seconds(3)) {
        self.checks = checks
        self.drain = drain
        self.patience = patience
    }

    /// Adds the routes to a private router.
    package func add(to router: some RouterMethods<ServiceRequestContext>) {
        router.get("/live") { _, _ in answer(.ok) { $0.member("live", true) } }
        router.get("/ready") { request, _ in
            await ready(full: request.uri.queryParameters["full"] == "1")
        }
    }

    private func ready(full: Bool) async -> Response {
        let reports = drain.isDraining ? [("server", "stopping")] : await runChecks()
        let isReady = reports.allSatisfy { $0.failure == nil }
        let told = reports.filter { full || $0.failure != nil }
        return answer(isReady ? .ok : .serviceUnavailable) { json in
            json.member("ready", isReady)
            guard full || !isReady else { return }
            json.object("checks") { json in
                for report in told { json.member(named: report.name, report.failure ?? "ok") }
            }
        }
    }

    /// All checks at once, in the order in which they were given.
    private func runChecks() async -> [(name: String, failure: String?)] {
        let failures = await withTaskGroup { group in
            for (position, check) in checks.enumerated() {
                group.addTask { (position, await failure(of: check)) }
            }
            return await group.reduce(into: [Int: String?]()) { $0[$1.0] = $1.1 }
        }
        return checks.enumerated().map { ($1.name, failures[$0] ?? nil) }
    }

    private func failure(of check: any ReadinessCheck) async -> String? {
        do {
            try await withThrowingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask { try await check.check() }
                group.addTask {
                    try await Task.sleep(for: patience)
                    throw ReadinessError.noAnswer(patience)
                }
                try await group.next()
            }
            return nil
        } catch {
            return oneLine("\(error)")
        }
    }
}

private func answer(_ status: HTTPResponse.Status, _ body: (inout JSONWriter) -> Void) -> Response {
    var json = JSONWriter()
    body(&json)
    return Response(
        status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: json.finish()))
}
