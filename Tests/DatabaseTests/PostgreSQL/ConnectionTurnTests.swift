import Testing

@testable import Database

/// What is decided about work and threads, without either.
@Suite("PostgreSQL: who does what")
struct ConnectionTurnTests {
    private typealias State = ConnectionThreads.State

    private static let (hour, day) = (Deadline(milliseconds: 3_600_000), Deadline(milliseconds: 86_400_000))
    private static let (refusal, silence) = (PostgreSQLLink.Loss(reason: "no"), PostgreSQLLink.Loss(reason: "nothing", isSilence: true))
    private static let late = PostgreSQLLink.Loss(reason: "nothing", isLate: true)
    private static var over: Deadline { Deadline(milliseconds: 0) }

    private static func job(by deadline: Deadline = ConnectionTurnTests.hour) -> ConnectionJob {
        ConnectionJob(by: deadline, run: { _ in {} }, refuse: { _ in })
    }

    private static var settings: PostgreSQLSettings {
        var settings = PostgreSQLSettings()
        settings.connections = 2
        return settings
    }

    /// A thread that is to be made for the job, and the job as it has it.
    private static func new(_ state: inout State, _ job: ConnectionJob) throws -> (job: ConnectionJob, thread: ConnectionThread) {
        let (given, taker, _) = state.submit(job, settings)
        guard case .new(let thread) = taker else { throw Unexpected() }
        return (given, thread)
    }

    private struct Unexpected: Error {}

    /// One thread works with a connection, another asks a silent server for all and makes one.
    private static func asking() throws -> (state: State, job: ConnectionJob, thread: ConnectionThread) {
        var state = State()
        let first = try new(&state, job())
        _ = state.begin(first.job, on: first.thread)
        _ = state.endConnecting(on: first.thread)
        state.standing = .silent
        let probe = try new(&state, job())
        state.note(first.thread, of: 0, answers: false)
        guard probe.job.isProbe, state.standing == .asked, state.connected == 1 else { throw Unexpected() }
        return (state, probe.job, probe.thread)
    }

    /// The same job with no time left.
    private static func overdue(_ job: ConnectionJob) -> ConnectionJob {
        var overdue = Self.job(by: over)
        (overdue.isProbe, overdue.isAssigned) = (job.isProbe, job.isAssigned)
        return overdue
    }

    /// What may have become of one that was to find out, before its thread gets no connection.
    enum Fate: CaseIterable { case none, refused, putBack, refusedAndPutBack, closed }

    @Test("Who was to find out and gets no connection, while somebody has one, has found out all the same", arguments: Fate.allCases)
    func probes(_ fate: Fate) throws {
        let isRefused = fate == .refused || fate == .refusedAndPutBack
        for loss in [Self.refusal, Self.silence, Self.late] {
            let asked = try Self.asking()
            var (state, job) = (asked.state, asked.job)
            _ = state.begin(job, on: asked.thread)
            if isRefused { _ = state.endConnecting(on: asked.thread) }
            job.wasPutBack = fate == .putBack || fate == .refusedAndPutBack
            state.isClosed = fate == .closed
            let failure = state.putBack(job, of: asked.thread, after: loss)
            #expect(state.standing == .answers)
            // It is told once, or goes on, and does not find out anything any more.
            #expect(failure.refused.count + state.waiting.count == (isRefused ? 0 : 1))
            #expect(state.waiting.allSatisfy { !$0.isProbe })
        }
    }

    @Test("Who was to find out and has no time left says nothing against a server that answers somebody, or has answered since")
    func lateProbes() throws {
        for isAnswered in [false, true] {
            let asked = try Self.asking()
            let (job, place) = (Self.overdue(asked.job), ObjectIdentifier(asked.thread))
            var state = asked.state
            state.connecting[place] = job
            if isAnswered { (state.standing, state.connections) = (.answers, [:]) }
            var (unbegun, waiting) = (state, state)
            let told = state.endLate(job, on: asked.thread)
            #expect(told == (isAnswered ? SQLError.unavailable : .busy) && state.standing == .answers)
            // Nobody has begun it, and nobody may ever.
            let first = unbegun.takeOverdue()
            #expect(first.count == 1 && unbegun.standing == .answers)
            waiting.connecting[place] = nil
            waiting.waiting = [job]
            let second = waiting.takeOverdue()
            #expect(second.count == 1 && waiting.standing == .answers)
        }
    }

    @Test("A job whose own time is over is refused alone; where a connection took all its time everybody is told")
    func shortTimes() throws {
        for loss in [Self.late, Self.silence] {
            var state = State()
            let first = try Self.new(&state, Self.job())
            _ = state.begin(first.job, on: first.thread)
            state.waiting = [Self.job(), Self.job()]
            let failure = state.putBack(first.job, of: first.thread, after: loss)
            #expect(failure.goesOn && failure.error == .unavailable)
            #expect(failure.refused.count == (loss.isLate ? 1 : 3) && state.waiting.count == (loss.isLate ? 2 : 0))
            #expect(state.standing == (loss.isLate ? .answers : .silent))
        }
        // One that asked for all leaves it to the next.
        let asked = try Self.asking()
        var state = asked.state
        _ = state.begin(asked.job, on: asked.thread)
        state.connections = [:]
        let failure = state.putBack(asked.job, of: asked.thread, after: Self.late)
        #expect(failure.refused.count == 1 && state.standing == .silent)
    }

    @Test("What is put back stands before those who have more time and behind those who have less; what has none left is refused")
    func order() throws {
        let soon = Deadline(milliseconds: 1_800_000)
        for deadline in [Self.hour, Self.over] {
            let isRefused = deadline != Self.hour
            var state = State()
            let first = try Self.new(&state, Self.job())
            state.note(first.thread, of: 0, answers: true)
            let second = try Self.new(&state, Self.job())
            let job = Self.job(by: deadline)
            _ = state.begin(job, on: second.thread)
            state.waiting = [Self.job(by: soon), Self.job(by: Self.day), Self.job(by: .never)]
            let failure = state.putBack(job, of: second.thread, after: Self.refusal)
            #expect(!failure.goesOn && failure.refused.count == (isRefused ? 1 : 0))
            let times = state.waiting.map(\.deadline)
            #expect(times == (isRefused ? [soon, Self.day, .never] : [soon, Self.hour, Self.day, .never]))
        }
        #expect(Self.hour.isBefore(.never) && Self.hour.isBefore(Self.day) && !Self.day.isBefore(Self.hour))
        #expect(!Self.hour.isBefore(Self.hour) && !Deadline.never.isBefore(.never) && !Deadline.never.isBefore(Self.day))
    }

    @Test("A call whose time is over is refused when it comes: it takes no thread, and asks for nobody")
    func deadCalls() {
        var state = State()
        state.standing = .silent
        let (job, taker, look) = state.submit(Self.job(by: Self.over), Self.settings)
        guard case .refused(.unavailable) = taker else {
            Issue.record("it was taken")
            return
        }
        #expect(!job.isProbe && look == nil && state.standing == .silent && state.threads == 0)
    }

    @Test("A thread that never begins keeps nobody: the clock has its job from the start; one that begins later sees that it was refused")
    func unbegun() throws {
        var state = State()
        state.standing = .silent
        let (given, taker, look) = state.submit(Self.job(), Self.settings)
        guard case .new(let thread) = taker else { throw Unexpected() }
        #expect(given.isProbe && look == Self.hour && state.connecting.count == 1)
        let job = Self.overdue(given)
        state.connecting[ObjectIdentifier(thread)] = job
        var begun = state
        let late = state.takeOverdue()
        // Nobody is at it: the next one asks.
        #expect(late.count == 1 && state.standing == .silent)
        let (beginning, told) = (state.begin(job, on: thread), state.endLate(job, on: thread))
        let isTold = beginning != nil || told != nil
        #expect(!isTold && state.standing == .silent && state.connecting.isEmpty)
        // One at which a thread is goes on finding out.
        _ = begun.begin(job, on: thread)
        let hanging = begun.takeOverdue()
        #expect(hanging.count == 1 && begun.standing == .asked)
    }

    @Test("However many come with little time there is a pause after each look; one that was superseded sees nobody")
    func pauses() throws {
        var state = State()
        let soon = Self.over
        let set = state.newLook(by: soon)
        #expect(set == soon)
        state.waiting = [Self.job(by: soon), Self.job()]
        let (late, next) = state.takeLook(at: soon)
        #expect(late.count == 1 && next == Self.hour)
        let early = state.newLook(by: soon)
        let pause = try #require(early)
        let another = state.newLook(by: soon)
        #expect(soon.isBefore(pause) && pause.isBefore(Self.hour) && another == nil)
        state.waiting = [Self.job(by: soon)]
        let superseded = state.takeLook(at: Self.hour).late
        #expect(superseded.isEmpty && state.waiting.count == 1)
        let last = state.takeLook(at: pause).late
        #expect(last.count == 1 && state.waiting.isEmpty && state.look == .never)
    }
}
