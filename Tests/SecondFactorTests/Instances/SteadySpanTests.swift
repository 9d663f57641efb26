import OstiaryProtocol
import Testing

@testable import SecondFactor

/// Two clocks, one of which nobody sets.
@Suite("For how long a clock has not leapt")
struct SteadySpanTests {
    private let now = RulesFixture.now

    @Test("From the first look on it counts what passes, and a few seconds between the clocks are none the less time")
    func passes() {
        var span = SteadySpan()
        #expect(span.note(now, steady: 500) == 0)
        #expect(span.note(now + 10, steady: 510) == 10)
        #expect(span.note(now + 3_600 + 29, steady: 500 + 3_600) == 3_600)
        #expect(span.note(now + 7_200 - 29, steady: 500 + 7_200) == 7_200)
    }

    @Test(
        "A leap begins it anew, forward as well as back, and however small its steps",
        arguments: [31, -31, 3_600, -3_600, 864_000, -864_000] as [Int64])
    func leap(_ leap: Int64) {
        var span = SteadySpan()
        _ = span.note(now, steady: 0)
        let moved = leap < 0 ? now + 100 - leap.magnitude : now + 100 + leap.magnitude
        #expect(span.note(moved, steady: 100) == 0)
        #expect(span.note(moved + 5, steady: 105) == 5)
        #expect(span.note(now + 110, steady: 110) == 0, "and so does the way back")
        var stepped = SteadySpan()
        _ = stepped.note(now, steady: 0)
        #expect(stepped.note(now + 20, steady: 0) == 0)
        #expect(stepped.note(now + 10 + 20, steady: 10) == 10)
        #expect(stepped.note(now + 20 + 40, steady: 20) == 0, "two steps of twenty seconds")
    }

    @Test("Moments that come out of order are no leap, and none of them is later than it was")
    func outOfOrder() {
        var span = SteadySpan()
        _ = span.note(now, steady: 100)
        #expect(span.note(now + 10, steady: 110) == 10)
        #expect(span.note(now + 7, steady: 107) == 7)
        #expect(span.note(now - 1, steady: 99) == 0)
        #expect(span.note(now + 12, steady: 112) == 12)
    }

    @Test("Where there is no second clock a fall of the one that there is begins it anew")
    func alone() {
        let watch = LeapWatch()
        #expect(watch.note(now) == 0)
        #expect(watch.note(now + 100) == 100)
        #expect(watch.note(now + 70) == 70)
        #expect(watch.note(now + 69) == 0)
        #expect(watch.note(now + 89) == 20)
    }
}
