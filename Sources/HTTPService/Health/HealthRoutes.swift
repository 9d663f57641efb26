import HTTPTypes
import Hummingbird
import Logging

/// `/live`: the process answers. `/ready`: it can do its work; 503 tells what is missing, `?full=1` lists every check.
///
/// What only logins need is asked by `/ready?for=logins`: a balancer that looks at `/ready` leaves a server in its place that still answers
/// getSession, and never waits for another machine.
package struct HealthRoutes: Sendable {
    private let checks: [any ReadinessCheck]
    private let loginChecks: [any ReadinessCheck]
    private let toldChecks: [any ReadinessCheck]
    private let drain: DrainSignal
    /// How long one check may take where nothing else is said.
    package static let limit = Duration.seconds(3)
    private let limit: Duration
    /// Seconds until whoever hears 503 asks again, like those of what passes by itself: by then what is looked at now and then was looked at anew.
    private static let wait = "5"
    private let log: CheckLog

    /// - Parameters:
    ///   - checks: without which the server can do nothing.
    ///   - logins: what logins need beside these.
    ///   - told: what stops nothing, and an operator should know: in the full list and in the log, and no reason for 503.
    ///   - limit: how long one check may take.
    ///   - clock: one that never goes back.
    package init(
        checks: [any ReadinessCheck], logins: [any ReadinessCheck] = [], told: [any ReadinessCheck] = [], drain: DrainSignal,
        limit: Duration = HealthRoutes.limit, clock: @Sendable @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.checks = checks
        loginChecks = logins
        toldChecks = told
        self.drain = drain
        self.limit = limit
        log = CheckLog(clock: clock)
    }

    /// Adds the routes to a private router.
    package func add(to router: some RouterMethods<ServiceRequestContext>) {
        router.get("/live") { request, _ -> Response in
            try RequestQuery(request).check(knows: [])
            try await request.checkNoBody()
            return .object { $0.member("live", true) }
        }
        router.get("/ready") { request, context in try await ready(request, logger: context.logger) }
    }

    /// Asks what the server can do nothing without, and what is only told, also when nobody else asks: what fails is told in the log.
    package func watch(logger: Logger) -> PeriodicTask {
        PeriodicTask(name: "readiness", interval: .seconds(10), logger: logger) { _ = await run(checks + toldChecks, isLook: true, logger: logger) }
    }

    private func ready(_ request: Request, logger: Logger) async throws -> Response {
        let query = RequestQuery(request)
        try query.check(knows: loginChecks.isEmpty ? ["full"] : ["for", "full"])
        let forLogins = try query.asks("for", "logins")
        let isFull = try query.asks("full", "1")
        try await request.checkNoBody()
        let needed = forLogins || isFull ? checks + loginChecks : checks
        let wanted = isFull ? needed + toldChecks : needed
        let reports = drain.isDraining ? [Report(name: "server", failure: "stopping")] : await run(wanted, logger: logger)
        let isGood = reports.prefix(needed.count).allSatisfy { $0.failure == nil }
        let isServing = drain.isDraining ? false : reports.prefix(checks.count).allSatisfy { $0.failure == nil }
        let isReady = forLogins ? isGood : isServing
        var answer = Response.object(status: isReady ? .ok : .serviceUnavailable) { json in
            json.member("ready", isReady)
            if isFull, !loginChecks.isEmpty { json.member("logins", isGood) }
            let told = reports.filter { isFull || $0.failure != nil && $0.toldBy == nil }
            guard !told.isEmpty else { return }
            json.name("checks")
            json.object { json in
                for report in told {
                    json.name(of: report.name)
                    json.string(report.toldBy.map { "see \($0)" } ?? report.failure ?? "ok")
                }
            }
        }
        if !isReady { answer.headers[.retryAfter] = Self.wait }
        return answer
    }

    private struct Report: Sendable {
        let name: String
        /// Nil when the check passed.
        let failure: String?
        var log = Line.nothing
        /// The check that tells why this one fails, since it stands before it and fails, too.
        var toldBy: String?

        enum Line {
            case nothing, passes
            case fails(String)
        }

        var finding: CheckLog.Finding? {
            switch log {
            case .nothing: nil
            case .passes: CheckLog.Finding(check: name, reason: nil)
            case .fails(let reason): CheckLog.Finding(check: name, reason: reason)
            }
        }
    }

    /// All checks at once. Reported, and told in the log, in the order in which they were given: what is behind others comes first.
    private func run(_ checks: [any ReadinessCheck], isLook: Bool = false, logger: Logger) async -> [Report] {
        let found = await withTaskGroup { group in
            for (position, check) in checks.enumerated() {
                group.addTask {
                    let report = await report(of: check, isLook: isLook)
                    return (position, report)
                }
            }
            return await group.reduce(into: [Int: Report]()) { $0[$1.0] = $1.1 }
        }
        let reports = Self.toldOnce(checks.indices.compactMap { found[$0] }, of: checks)
        log.note(reports.compactMap(\.finding), logger: logger)
        return reports
    }

    /// A check that stands behind another which fails, too, leaves the word to that one.
    private static func toldOnce(_ reports: [Report], of checks: [any ReadinessCheck]) -> [Report] {
        let failing = Set(reports.filter { $0.failure != nil }.map(\.name))
        return zip(reports, checks).map { report, check in
            guard report.failure != nil, let before = check.behind, failing.contains(before) else { return report }
            return Report(name: report.name, failure: report.failure, toldBy: before)
        }
    }

    private func report(of check: any ReadinessCheck, isLook: Bool) async -> Report {
        let name = check.name
        do {
            try await ask { try await isLook ? check.look() : check.check() }
            return Report(name: name, failure: nil, log: .passes)
        } catch is CancellationError {
            // Whoever asked has gone.
            return Report(name: name, failure: "not finished")
        } catch let note as ReadinessNote {
            return Report(name: name, failure: oneLine(note.description), log: .passes)
        } catch let failure as any ReasonedFailure {
            return Report(name: name, failure: oneLine(failure.description), log: .fails(oneLine(failure.reason)))
        } catch let error as any Error & CustomStringConvertible {
            let line = oneLine(error.description)
            return Report(name: name, failure: line, log: .fails(line))
        } catch {
            // What has no words for people is named in the log only.
            return Report(name: name, failure: "failed; the log says more", log: .fails("\(error)"))
        }
    }

    /// Gives a check up when its time is over, also one that cannot be called back: what waits for a disk that stands still hears nothing.
    private func ask(_ check: @Sendable @escaping () async throws -> Void) async throws {
        let (answer, told) = AsyncThrowingStream<Void, any Error>.makeStream()
        let asking = Task {
            do {
                try await check()
                told.yield()
            } catch { told.finish(throwing: error) }
        }
        let giveUp = Task {
            try await Task.sleep(for: limit)
            told.finish(throwing: ReadinessError.noAnswer(limit))
        }
        defer {
            asking.cancel()
            giveUp.cancel()
        }
        for try await _ in answer { return }
        throw CancellationError()
    }
}

extension RequestQuery {
    /// Whether a parameter is there, which can have one value only.
    fileprivate func asks(_ name: String, _ only: String) throws(FieldRefusal) -> Bool {
        switch try value(name) {
        case nil: return false
        case only: return true
        case .some: throw .bad(name, "is \(only) or left out")
        }
    }
}
