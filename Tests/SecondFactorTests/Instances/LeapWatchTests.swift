import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactor

@Suite("When it is looked for what lies ahead of the clock")
struct LeapWatchTests {
    private let now = RulesFixture.now
    private let clock = TestClock(RulesFixture.now)

    private func watch(_ newest: Instant?) -> LeapWatch { LeapWatch(newest: newest, steady: { [clock] in clock.monotonic }) }

    @Test("After a start, two minutes later, where rows bear more than the clock shows, or nobody knows what they bear; otherwise not at all")
    func start() {
        for (newest, isDue) in [(Instant(0), false), (now, false), (now + 180, false), (now + 181, true), (nil, true)] as [(Instant?, Bool)] {
            let clock = TestClock(now)
            let watch = LeapWatch(newest: newest, steady: { clock.monotonic })
            #expect(watch.due(at: clock.now) == nil)
            clock.advance(119)
            #expect(watch.due(at: clock.now) == nil)
            clock.advance(1)
            #expect((watch.due(at: clock.now) != nil) == isDue, "\(String(describing: newest))")
        }
    }

    @Test("Once after a clock that ran ahead was put right, and not because one leapt ahead")
    func leaps() throws {
        let watch = watch(now)
        watch.note(clock.now)
        clock.setWall(by: 864_000)
        #expect(watch.note(clock.now) == 0)
        clock.advance(120)
        #expect(watch.due(at: clock.now) == nil, "by this clock nothing lies ahead")
        clock.setWall(by: -864_000)
        #expect(watch.note(clock.now) == 0)
        clock.advance(119)
        #expect(watch.due(at: clock.now) == nil)
        clock.advance(1)
        let due = try #require(watch.due(at: clock.now))
        #expect(due.seconds == 120 && due.place == nil)
        watch.noteLooked(upTo: nil, in: due.span)
        #expect(watch.due(at: clock.now) == nil)
        // What was brought back is not ahead for the next leap either.
        clock.setWall(by: 3_600)
        watch.note(clock.now)
        clock.advance(120)
        #expect(watch.due(at: clock.now) == nil)
    }

    @Test("A clock that was ahead for one moment in which somebody asked is enough")
    func shortly() {
        let watch = watch(now)
        watch.note(clock.now)
        clock.setWall(by: 3_600)
        watch.note(clock.now)
        clock.setWall(by: -3_600)
        watch.note(clock.now)
        // And falls behind once more before anything was brought back.
        clock.setWall(by: -31)
        watch.note(clock.now)
        clock.advance(120)
        #expect(watch.due(at: clock.now) != nil)
    }

    @Test("It goes on where it was; after another leap from the beginning, and what was found before that leap counts for nothing")
    func place() throws {
        let watch = watch(nil)
        watch.note(clock.now)
        clock.advance(120)
        let first = try #require(watch.due(at: clock.now))
        watch.noteLooked(upTo: RulesFixture.instanceID, in: first.span)
        clock.advance(60)
        let next = try #require(watch.due(at: clock.now))
        #expect(next == LeapWatch.Due(span: first.span, seconds: 180, place: RulesFixture.instanceID))
        clock.setWall(by: -600)
        watch.note(clock.now)
        watch.noteLooked(upTo: nil, in: first.span)
        clock.advance(120)
        let again = try #require(watch.due(at: clock.now))
        #expect(again == LeapWatch.Due(span: first.span + 1, seconds: 120, place: nil))
        watch.noteLooked(upTo: nil, in: again.span)
        #expect(watch.due(at: clock.now) == nil)
    }
}
