import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryTesting
import Synchronization
import Testing

@Suite("Health", .timeLimit(.minutes(10)))
struct HealthTests {
    private struct Unreachable: Error, CustomStringConvertible {
        let description = "connection\nrefused"
    }

    private func ask(
        _ uri: String, body: String? = nil, checks: [any ReadinessCheck], logins: [any ReadinessCheck] = [], told: [any ReadinessCheck] = [],
        drain: DrainSignal = DrainSignal(), limit: Duration = .seconds(3600)
    ) async throws -> (HTTPResponse.Status, String) {
        let health = HealthRoutes(checks: checks, logins: logins, told: told, drain: drain, limit: limit)
        let answer = try await Self.answer(to: uri, body: body, of: health)
        return (answer.status, String(buffer: answer.body))
    }

    private static func answer(to uri: String, body: String? = nil, of health: HealthRoutes) async throws -> TestResponse {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        health.add(to: router)
        return try await Application(responder: router.buildResponder()).test(.router) { client in
            try await client.execute(uri: uri, method: .get, body: body.map { ByteBuffer(string: $0) })
        }
    }

    private let good = NamedCheck("database") {}
    private let bad = NamedCheck("second-factor") { throw Unreachable() }
    private let slow = NamedCheck("second-factor") { try await Task.sleep(for: .seconds(3600)) }

    @Test("A process that answers is live, whatever is missing")
    func live() async throws {
        #expect(try await ask("/live", checks: [bad]) == (.ok, #"{"live":true}"#))
    }

    @Test("Ready is 200 when every check passes; full lists them in order")
    func ready() async throws {
        #expect(try await ask("/ready", checks: [good]) == (.ok, #"{"ready":true}"#))
        let again = NamedCheck("another") {}
        #expect(try await ask("/ready?full=1", checks: [good, again]) == (.ok, #"{"ready":true,"checks":{"database":"ok","another":"ok"}}"#))
    }

    @Test("Ready is 503 and says why when a check fails, on one line")
    func notReady() async throws {
        #expect(
            try await ask("/ready", checks: [good, bad])
                == (.serviceUnavailable, #"{"ready":false,"checks":{"second-factor":"connection refused"}}"#))
        #expect(
            try await ask("/ready?full=1", checks: [good, bad])
                == (.serviceUnavailable, #"{"ready":false,"checks":{"database":"ok","second-factor":"connection refused"}}"#))
    }

    @Test("503 has a time to come back, also of a server that is stopping, and 200 has none, whatever is only told")
    func retryAfter() async throws {
        let (serving, stopping) = (DrainSignal(), DrainSignal())
        stopping.begin()
        func seconds(_ uri: String, _ checks: [any ReadinessCheck], _ drain: DrainSignal) async throws -> [String] {
            let health = HealthRoutes(checks: checks, logins: [bad], told: [bad], drain: drain, limit: .seconds(3600))
            return try await Self.answer(to: uri, of: health).headers[values: .retryAfter]
        }
        for uri in ["/ready", "/ready?full=1"] { #expect(try await seconds(uri, [good], serving) == []) }
        #expect(try await seconds("/ready?for=logins", [good], serving) == ["5"])
        for uri in ["/ready", "/ready?full=1", "/ready?for=logins"] {
            #expect(try await seconds(uri, [bad], serving) == ["5"])
            #expect(try await seconds(uri, [good], stopping) == ["5"])
        }
    }

    @Test("A check that does not answer is not waited for")
    func slowCheck() async throws {
        let (status, body) = try await ask("/ready", checks: [slow], limit: .milliseconds(50))
        #expect(status == .serviceUnavailable)
        #expect(body.contains("no answer within"))
    }

    @Test("A check that waits for a disk that stands still cannot be called back, and is not waited for either")
    func stuckCheck() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let stuck = CachedCheck("disk") { for await _ in gate.stream { return } }
        let (status, body) = try await ask("/ready", checks: [stuck], limit: .milliseconds(50))
        gate.continuation.finish()
        #expect(status == .serviceUnavailable)
        #expect(body.contains("no answer within"))
    }

    @Test("A server that is stopping is not ready")
    func stopping() async throws {
        let drain = DrainSignal()
        drain.begin()
        #expect(try await ask("/ready", checks: [good], drain: drain) == (.serviceUnavailable, #"{"ready":false,"checks":{"server":"stopping"}}"#))
    }

    @Test("Ready for logins is a question of its own: a balancer that asks for getSession never waits for, or hears of, the other server")
    func logins() async throws {
        #expect(try await ask("/ready", checks: [good], logins: [bad]) == (.ok, #"{"ready":true}"#))
        #expect(try await ask("/ready", checks: [good], logins: [slow]) == (.ok, #"{"ready":true}"#))
        #expect(
            try await ask("/ready?for=logins", checks: [good], logins: [bad])
                == (.serviceUnavailable, #"{"ready":false,"checks":{"second-factor":"connection refused"}}"#))
        #expect(try await ask("/ready?for=logins", checks: [good], logins: [good]) == (.ok, #"{"ready":true}"#))
        #expect(
            try await ask("/ready?full=1", checks: [good], logins: [bad])
                == (.ok, #"{"ready":true,"logins":false,"checks":{"database":"ok","second-factor":"connection refused"}}"#))
        #expect(
            try await ask("/ready?full=1", checks: [bad], logins: [good])
                == (.serviceUnavailable, #"{"ready":false,"logins":false,"checks":{"second-factor":"connection refused","database":"ok"}}"#))
    }

    @Test("What stops nothing is told by the full list and in the log, and makes nothing unready")
    func toldOnly() async throws {
        for uri in ["/ready", "/ready?for=logins"] {
            #expect(try await ask(uri, checks: [good], logins: [good], told: [bad]) == (.ok, #"{"ready":true}"#))
        }
        let report = #"{"ready":true,"logins":true,"checks":{"database":"ok","disk":"ok","second-factor":"connection refused"}}"#
        #expect(try await ask("/ready?full=1", checks: [good], logins: [NamedCheck("disk") {}], told: [bad]) == (.ok, report))
        #expect(try await ask("/ready?for=logins&full=1", checks: [good], logins: [NamedCheck("disk") {}], told: [bad]) == (.ok, report))
        let log = LogRecorder()
        await HealthRoutes(checks: [good], told: [bad], drain: DrainSignal(), limit: .seconds(3600)).watch(logger: log.logger()).round()
        #expect(log.lines.map { $0.facts["work"] } == ["second-factor"])
    }

    @Test("What is as the operator wants it stands in the full list, and neither makes a line of the log nor anything unready")
    func note() async throws {
        let note = NamedCheck("root-key") { throw ReadinessNote("kept apart") }
        let report = #"{"ready":true,"checks":{"database":"ok","root-key":"kept apart"}}"#
        #expect(try await ask("/ready?full=1", checks: [good], told: [note]) == (.ok, report))
        #expect(try await ask("/ready", checks: [good], told: [note]) == (.ok, #"{"ready":true}"#))
        let log = LogRecorder()
        await HealthRoutes(checks: [good], told: [note], drain: DrainSignal(), limit: .seconds(3600)).watch(logger: log.logger()).round()
        #expect(log.lines.isEmpty)
    }

    @Test("A root key that is withheld is noted until the next key is due, then told in the log too, and makes nothing unready")
    func rootKey() async throws {
        let (begin, end) = ("1970-01-01T00:16:40Z", "1970-01-01T00:33:20Z")
        let stages: [(now: UInt64, stage: RootKeyMissing.Stage, words: String)] = [
            (999, .early, "nothing is due; start once with --root-key FILE after \(begin), or the server cannot sign after \(end)"),
            (1_000, .due, "start again with --root-key FILE, or the server cannot sign after \(end)"),
            (2_000, .due, "start again with --root-key FILE, or the server cannot sign after \(end)"),
            (2_001, .over, "start again with --root-key FILE; the server has not been able to sign since \(end)"),
        ]
        for (now, stage, words) in stages {
            let missing = RootKeyMissing(end: 2_000, overlap: 1_000, now: now)
            #expect(missing.stage == stage && missing.begin == 1_000)
            let check = RootKeyCheck { missing }
            let report = #"{"ready":true,"checks":{"database":"ok","root-key":"the root key is kept apart and was not given: \#(words)"}}"#
            #expect(try await ask("/ready?full=1", checks: [good], told: [check]) == (.ok, report))
            let log = LogRecorder()
            await HealthRoutes(checks: [good], told: [check], drain: DrainSignal(), limit: .seconds(3600)).watch(logger: log.logger()).round()
            #expect(log.lines.map { $0.facts["work"] } == (stage == .early ? [] : ["root-key"]))
        }
        let report = #"{"ready":true,"checks":{"database":"ok","root-key":"ok"}}"#
        #expect(try await ask("/ready?full=1", checks: [good], told: [RootKeyCheck { nil }]) == (.ok, report))
    }

    @Test(
        "A check that stands behind another is told where that passes; where both fail the first has the word, in the log too, and the full report says where to look"
    )
    func behind() async throws {
        let log = LogRecorder()
        let fails = Mutex([true, true])
        let words = ["no connection", "no room"]
        let checks: [any ReadinessCheck] = [
            NamedCheck("database") { if fails.withLock({ $0[0] }) { throw Failing(description: words[0]) } },
            NamedCheck("disk", behind: "database") { if fails.withLock({ $0[1] }) { throw Failing(description: words[1]) } },
        ]
        func said(_ uri: String) async throws -> String { try await ask(uri, checks: [checks[0]], logins: [checks[1]]).1 }
        #expect(try await said("/ready?for=logins") == #"{"ready":false,"checks":{"database":"no connection"}}"#)
        let full = #"{"ready":false,"logins":false,"checks":{"database":"no connection","disk":"see database"}}"#
        #expect(try await said("/ready?full=1") == full)
        let watch = HealthRoutes(checks: checks, drain: DrainSignal(), limit: .seconds(3600)).watch(logger: log.logger())
        await watch.round()
        fails.withLock { $0[0] = false }
        // What it says itself is heard as soon as nobody stands before it.
        #expect(try await said("/ready?for=logins") == #"{"ready":false,"checks":{"disk":"no room"}}"#)
        await watch.round()
        fails.withLock { $0 = [true, false] }
        #expect(try await said("/ready?full=1") == #"{"ready":false,"logins":false,"checks":{"database":"no connection","disk":"ok"}}"#)
        #expect(log.lines.compactMap { $0.facts["reason"] } == words)
    }

    private struct Failing: Error, CustomStringConvertible { let description: String }

    @Test("A clock over two minutes behind what the database has, or what it has shown itself, is told, and passes when that time is reached")
    func clock() async throws {
        let clock = Mutex<UInt64>(1_800_000_000)
        func told(_ check: ClockCheck, _ seconds: Int64) async -> String? {
            clock.withLock { $0 = UInt64(Int64(1_800_000_000) + seconds) }
            do {
                try await check.check()
                return nil
            } catch { return "\(error)" }
        }
        let started = ClockCheck(newest: 1_800_000_000) { clock.withLock { $0 } }
        #expect(await told(started, -120) == nil)
        let words = try #require(await told(started, -121))
        #expect(words.hasPrefix("the clock is behind 2027-01-15T08:00:00Z"))
        #expect(await told(started, -864_000) == words, "the same words, so that they are one line of the log")
        #expect(await told(started, 0) == nil)
        #expect(await told(started, 3_600) == nil)
        #expect(await told(started, 3_479)?.hasPrefix("the clock is behind 2027-01-15T09:00:00Z") == true)
        #expect(await told(ClockCheck(newest: nil) { clock.withLock { $0 } }, -864_000) == nil)
    }

    @Test(
        "A health call refuses what it does not know, another value, and what comes twice: a misspelt question is not answered as a shorter one",
        arguments: [
            ("/ready?fr=logins", "unknown_field", "fr"), ("/ready?For=logins", "unknown_field", "For"), ("/live?full=1", "unknown_field", "full"),
            ("/ready?for=anything", "bad_request", "for"), ("/ready?for", "bad_request", "for"), ("/ready?full=true", "bad_request", "full"),
            ("/ready?full=1&full=0", "bad_request", "full"), ("/ready?for=logins&for=logins", "bad_request", "for"),
            ("/ready?for=%FF", "bad_request", "for"), ("/ready?%66%6Fr=anything", "bad_request", "for"),
            ("/ready?for=logins&f%6fr=logins", "bad_request", "for"), ("/ready?f%72=logins", "unknown_field", "fr"),
            ("/ready?f%FF=logins", "bad_request", "f%FF"),
        ])
    func strict(address: String, error: String, field: String) async throws {
        let (status, body) = try await ask(address, checks: [good], logins: [bad])
        #expect(status == .badRequest)
        #expect(body.contains(#""error":"\#(error)""#) && body.contains(#""field":"\#(field)""#), "\(body)")
    }

    @Test(
        "A health call has no body: one is refused by the name of its first member; nothing at all, and {}, say nothing",
        arguments: ["/live", "/ready"])
    func bodies(address: String) async throws {
        for body in [nil, "", "{}"] { #expect(try await ask(address, body: body, checks: [good]).0 == .ok) }
        let (status, words) = try await ask(address, body: #"{"for":"logins"}"#, checks: [good])
        #expect(status == .badRequest && words.contains(#""error":"unknown_field""#) && words.contains(#""field":"for""#), "\(words)")
        #expect(try await ask(address, body: "logins", checks: [good]).0 == .badRequest)
    }

    @Test("The name of a parameter means the same however it is percent-encoded")
    func encodedNames() async throws {
        #expect(try await ask("/ready?f%6fr=logins", checks: [good], logins: [bad]).0 == .serviceUnavailable)
        #expect(try await ask("/ready?%66%75%6C%6c=1", checks: [good]) == (.ok, #"{"ready":true,"checks":{"database":"ok"}}"#))
    }

    @Test("Where no login is checked there is nothing to ask for")
    func noLogins() async throws {
        let (status, body) = try await ask("/ready?for=logins", checks: [good])
        #expect(status == .badRequest && body.contains(#""error":"unknown_field""#))
    }

    @Test("An error without words for people is not told by its type")
    func wordless() async throws {
        struct Internal: Error {}
        let (status, body) = try await ask("/ready", checks: [NamedCheck("database") { throw Internal() }])
        #expect(status == .serviceUnavailable && body == #"{"ready":false,"checks":{"database":"failed; the log says more"}}"#)
    }

    @Test("What fails is a line of the log, also when nobody asks: once, when the reason changes, and when it passes again")
    func logged() async throws {
        struct Failure: Error, CustomStringConvertible { let description: String }
        let log = LogRecorder()
        let reason = Mutex<String?>(nil)
        let check = NamedCheck("database") { if let text = reason.withLock({ $0 }) { throw Failure(description: text) } }
        // A minute for each look.
        let start = ContinuousClock.now
        let minutes = Mutex(0)
        let health = HealthRoutes(
            checks: [check], drain: DrainSignal(), limit: .seconds(3600), clock: { start + .seconds(60 * minutes.withLock { $0 }) })
        let watch = health.watch(logger: log.logger())
        for text in ["moved\naway", "moved\naway", "gone", nil, nil, "gone"] as [String?] {
            reason.withLock { $0 = text }
            await watch.round()
            minutes.withLock { $0 += 1 }
        }
        let lines = log.lines.map { "\($0.level) \($0.message) \($0.facts["work"] ?? "") \($0.facts["reason"] ?? "")" }
        let failed = "warning a readiness check failed database "
        #expect(lines == [failed + "moved away", failed + "gone", "notice a readiness check passes again database ", failed + "gone"])
    }

    @Test("Each check that goes up and down has a minute of its own, and none speaks for one that says nothing for it")
    func upAndDown() async throws {
        let both = try await logged([["away", "away"], [nil, nil], ["away", "away"], [nil, nil], ["away", "full"], [nil, nil]], every: 10)
        #expect(both == ["- first away", "+ first", "- second full", "+ second"])
        let behind = try await logged([["away", "away"], [nil, nil], ["away", "away"]] + Array(repeating: [nil, "away"], count: 5), every: 10)
        #expect(behind == ["- first away", "+ first", "- second away"])
        let anew = try await logged([["away", nil], [nil, nil], [nil, "away"], [nil, nil], ["away", nil]], every: 10)
        #expect(anew == ["- first away", "+ first", "- second away", "+ second"])
    }

    @Test("A reason whose words end with since when is one reason in the log, however often that changes; the report has it whole")
    func sinceWhen() async throws {
        struct Failure: ReasonedFailure {
            let since: Int
            var reason: String { "no\nanswer" }
            var description: String { "\(reason); since \(since)" }
        }
        let log = LogRecorder()
        let start = ContinuousClock.now
        let time = Mutex(0)
        let check = NamedCheck("other") {
            let now = time.withLock { $0 }
            if now % 20 < 10 { throw Failure(since: now) }
        }
        let health = HealthRoutes(checks: [check], drain: DrainSignal(), limit: .seconds(3600), clock: { start + .seconds(time.withLock { $0 }) })
        let watch = health.watch(logger: log.logger())
        for _ in 0..<6 {
            await watch.round()
            time.withLock { $0 += 10 }
        }
        #expect(log.lines.map { $0.facts["reason"] } == ["no answer", nil])
        let (status, body) = try await ask("/ready", checks: [NamedCheck("other") { throw Failure(since: 7) }])
        #expect(status == .serviceUnavailable && body == #"{"ready":false,"checks":{"other":"no answer; since 7"}}"#)
    }

    @Test("What several checks meet at once is told with the first of them, and is over with it; whatever still fails then has its own line")
    func sharedReason() async throws {
        let once = try await logged([["away", "away"], ["away", "away"], [nil, nil], [nil, nil]])
        #expect(once == ["- first away", "+ first"])
        // An answer of before is no news.
        let late = try await logged([["away", nil], ["away", "away"], [nil, "away"], [nil, "away"], [nil, "away"], [nil, nil], [nil, nil]])
        #expect(late == ["- first away", "+ first"])
        let stays = try await logged([["away", "away"]] + Array(repeating: [nil, "away"], count: 5) + [[nil, nil]])
        #expect(stays == ["- first away", "+ first", "- second away", "+ second"])
        let another = try await logged([["away", "away"], [nil, "full"], [nil, "full"], [nil, nil]])
        #expect(another == ["- first away", "+ first", "- second full", "+ second"])
        let apart = try await logged([["away", "full"], [nil, nil]])
        #expect(apart == ["- first away", "- second full", "+ first", "+ second"])
    }

    /// The lines that two checks leave.
    /// - Parameters:
    ///   - rounds: in each why they fail, nil for a check that passes or is not there.
    ///   - seconds: from one round to the next.
    private func logged(_ rounds: [[String?]], every seconds: Int = 60) async throws -> [String] {
        struct Failure: Error, CustomStringConvertible { let description: String }
        let log = LogRecorder()
        let reasons = Mutex<[String?]>([])
        let checks = ["first", "second"].enumerated().map { place, name in
            NamedCheck(name) { if let text = reasons.withLock({ $0.dropFirst(place).first ?? nil }) { throw Failure(description: text) } }
        }
        let start = ContinuousClock.now
        let time = Mutex(0)
        let health = HealthRoutes(checks: checks, drain: DrainSignal(), limit: .seconds(3600), clock: { start + .seconds(time.withLock { $0 }) })
        let watch = health.watch(logger: log.logger())
        for round in rounds {
            reasons.withLock { $0 = round }
            await watch.round()
            time.withLock { $0 += seconds }
        }
        return log.lines.map { line in
            let facts = [line.facts["work"], line.facts["reason"]].compactMap { $0 }
            return ([line.message == "a readiness check failed" ? "-" : "+"] + facts).joined(separator: " ")
        }
    }

    @Test("However often it is asked, a check runs once in five seconds; what failed is looked at again after two")
    func cached() async throws {
        let runs = Mutex(0)
        let seconds = Mutex(0)
        let start = ContinuousClock.now
        let clock: @Sendable () -> ContinuousClock.Instant = { start + .seconds(seconds.withLock { $0 }) }
        let check = CachedCheck("disk", clock: clock) {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 2 { throw Unreachable() }
        }
        var failed: [Int] = []
        for second in 0...11 {
            seconds.withLock { $0 = second }
            for _ in 0..<4 { do { try await check.check() } catch { failed.append(second) } }
        }
        #expect(failed == [5, 5, 5, 5, 6, 6, 6, 6])
        #expect(runs.withLock { $0 } == 3)
    }

    @Test("The server's own look asks anew what an answer of before would answer, and what it finds is what others hear after it")
    func ownLook() async throws {
        let (runs, start) = (Runs(), ContinuousClock.now)
        let clock: @Sendable () -> ContinuousClock.Instant = { start }
        let check = CachedCheck("identity", clock: clock) {
            let run = runs.count.withLock { count in
                count += 1
                return count
            }
            if run == 2 { throw Unreachable() }
        }
        let watch = HealthRoutes(checks: [check], drain: DrainSignal()).watch(logger: LogRecorder().logger())
        for _ in 0..<2 { try await check.check() }
        #expect(runs.count.withLock { $0 } == 1)
        await watch.round()
        for _ in 0..<2 { await #expect(throws: Unreachable.self) { try await check.check() } }
        #expect(runs.count.withLock { $0 } == 2)
        await watch.round()
        for _ in 0..<2 { try await check.check() }
        #expect(runs.count.withLock { $0 } == 3)
    }

    private final class Runs: Sendable {
        let count = Mutex(0)
    }

    @Test("Many who ask at once share one run")
    func shared() async throws {
        let runs = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        let check = CachedCheck("disk") {
            runs.withLock { $0 += 1 }
            for await _ in gate.stream { return }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await check.check() } }
            gate.continuation.yield()
            try await group.waitForAll()
        }
        #expect(runs.withLock { $0 } == 1)
    }
}
