import OstiaryTesting
import Testing

@Suite("Orders that explain a history")
struct OrderSearchTests {
    private typealias Session = AliveUntilStopped.Call
    private typealias Code = RedeemedOnce.Call

    private static func read(_ from: Int, _ to: Int, _ answer: AliveUntilStopped.Answer) -> Session {
        Session("backend at B", "session", .read, invoked: .milliseconds(from), .answered(answer, at: .milliseconds(to)))
    }

    private static func stop(_ from: Int, _ to: Int?) -> Session {
        Session("phone at A", "session", .stop, invoked: .milliseconds(from), to.map { .answered(.over, at: .milliseconds($0)) } ?? .unknown)
    }

    private static func redeem(_ request: Int, _ from: Int, _ to: Int?, _ answer: RedeemedOnce.Answer = .given) -> Code {
        Code(
            "client \(request)", "code", RedeemedOnce.Action(request: request), invoked: .milliseconds(from),
            to.map { .answered(answer, at: .milliseconds($0)) } ?? .unknown)
    }

    private func violation<Model: SequentialModel>(_ model: Model, _ calls: [Model.Call]) -> Violation<Model>? {
        guard case .violated(let violation) = OrderSearch(model).verdict(on: calls) else { return nil }
        return violation
    }

    @Test("A positive answer that was asked for after a stop was acknowledged has no explanation, and the picture shows the two of them alone")
    func lostRevocation() throws {
        let noise = (0..<40).map { Self.read($0 * 10, $0 * 10 + 8, .alive) }
        let found = try #require(violation(AliveUntilStopped(), noise + [Self.stop(400, 420), Self.read(421, 430, .alive)]))
        #expect(found.calls == [Self.stop(400, 420), Self.read(421, 430, .alive)])
        let lines = found.description.split(separator: "\n")
        #expect(lines[0] == "session: no order explains “read → alive” of backend at B, which found it over")
        #expect(lines[1] == "  stop → over   phone at A    |------------------------------------|")
        #expect(lines[2] == "  read → alive  backend at B                                         |---------------| ◄")
        #expect(lines[3] == "                              400 ms                                            430 ms")
    }

    @Test("An answer that was asked for before the acknowledgement may be either; when one was negative, none is positive after it")
    func duringTheStop() {
        let model = AliveUntilStopped()
        #expect(violation(model, [Self.stop(0, 20), Self.read(19, 30, .alive)]) == nil)
        #expect(violation(model, [Self.stop(0, 20), Self.read(1, 3, .over), Self.read(2, 30, .alive)]) == nil)
        #expect(violation(model, [Self.stop(0, 20), Self.read(1, 3, .over), Self.read(4, 5, .alive)])?.culprit == Self.read(4, 5, .alive))
        #expect(violation(model, [Self.stop(0, 20), Self.read(20, 21, .alive)]) == nil)
    }

    @Test("A stop that nobody was told of may happen at any time, but it is asked for first, and never taken back")
    func unknownStop() {
        let model = AliveUntilStopped()
        #expect(violation(model, [Self.stop(10, nil), Self.read(20, 25, .alive), Self.read(900, 901, .over)]) == nil)
        #expect(violation(model, [Self.stop(10, nil), Self.read(20, 25, .alive)]) == nil)
        #expect(violation(model, [Self.stop(10, nil), Self.read(20, 25, .over), Self.read(30, 31, .alive)]) != nil)
        #expect(violation(model, [Self.read(2, 5, .over), Self.stop(10, nil)])?.culprit == Self.read(2, 5, .over))
        #expect(violation(AliveUntilStopped(mayEndByItself: true), [Self.read(2, 5, .over), Self.stop(10, nil)]) == nil)
        #expect(violation(AliveUntilStopped(mayEndByItself: true), [Self.read(2, 5, .over), Self.read(6, 7, .alive)]) != nil)
    }

    @Test("What never reached anybody explains nothing")
    func neverSent() {
        let stop = Session("phone at A", "session", .stop, invoked: .zero, .neverSent)
        #expect(violation(AliveUntilStopped(), [stop, Self.read(5, 6, .alive)]) == nil)
        #expect(violation(AliveUntilStopped(), [stop, Self.read(5, 6, .over)]) != nil)
    }

    @Test("A code is given once: two who were given it contradict each other however they overlap, and one without an answer may have it")
    func redeemedOnce() {
        let model = RedeemedOnce()
        #expect(violation(model, [Self.redeem(1, 0, 50), Self.redeem(2, 0, 50)]) != nil)
        #expect(violation(model, [Self.redeem(1, 0, 50), Self.redeem(2, 0, 50, .refused)]) == nil)
        #expect(violation(model, [Self.redeem(1, 0, nil), Self.redeem(2, 10, 20, .refused), Self.redeem(3, 30, 40, .refused)]) == nil)
        #expect(violation(model, [Self.redeem(1, 0, nil), Self.redeem(2, 10, 20)]) == nil)
        #expect(violation(model, [Self.redeem(2, 10, 20, .refused), Self.redeem(1, 30, nil)]) != nil)
        #expect(violation(RedeemedOnce(mayRefuse: true), [Self.redeem(2, 10, 20, .refused), Self.redeem(1, 30, 40)]) == nil)
    }

    @Test("A request that is made again is given what it was given, where that is promised")
    func repeated() {
        let model = RedeemedOnce(isRepeatable: true)
        #expect(violation(model, [Self.redeem(1, 0, nil), Self.redeem(1, 10, 20), Self.redeem(2, 30, 40, .refused)]) == nil)
        #expect(violation(model, [Self.redeem(1, 0, 5), Self.redeem(1, 10, 20, .refused)]) != nil)
        #expect(violation(RedeemedOnce(), [Self.redeem(1, 0, 5), Self.redeem(1, 10, 20)]) != nil)
    }

    @Test("A return code that may be over by its times refuses its own browser for good, and lets in another one no more than before")
    func overByItsTimes() {
        func call(_ browser: HandedInOnce.Action, _ from: Int, _ to: Int, _ answer: HandedInOnce.Answer) -> HandedInOnce.Call {
            ObservedCall("browser", "code", browser, invoked: .milliseconds(from), .answered(answer, at: .milliseconds(to)))
        }
        let model = HandedInOnce(mayEndByItself: true)
        #expect(violation(model, [call(.own, 0, 1, .refused), call(.own, 2, 3, .refused)]) == nil)
        #expect(violation(model, [call(.own, 0, 1, .loggedIn), call(.own, 2, 3, .refused)]) == nil)
        #expect(violation(model, [call(.own, 0, 1, .refused), call(.own, 2, 3, .loggedIn)]) != nil)
        #expect(violation(model, [call(.other, 0, 1, .refused), call(.own, 2, 3, .loggedIn)]) != nil)
        #expect(violation(model, [call(.other, 0, 1, .loggedIn)]) != nil)
    }

    @Test("Keys are looked at apart: a stop of one session says nothing of another, and each faulty one is told")
    func keys() {
        let other = Session("backend at B", "other", .read, invoked: .milliseconds(30), .answered(.alive, at: .milliseconds(31)))
        let search = OrderSearch(AliveUntilStopped())
        #expect(search.faults(in: [Self.stop(0, 20), other]).isEmpty)
        #expect(search.faults(in: [Self.stop(0, 20), other, Self.read(30, 31, .alive)]).count == 1)
    }

    @Test("A search that would take too long says that it knows nothing")
    func gaveUp() {
        let open = (0..<24).map { Self.redeem($0, 0, nil) }
        guard case .gaveUp(let key) = OrderSearch(RedeemedOnce(), mostSituations: 10).verdict(on: open + [Self.redeem(99, 5, 6, .refused)]) else {
            Issue.record("it claims to know")
            return
        }
        #expect(key == "code")
    }
}
