import OAuthProvider
import OstiaryProtocol
import Testing

@Suite("How often a place tries something")
struct PlaceTriesTests {
    private let pace = Pace(3, in: 60)
    private let start = Instant(1_000_000)

    @Test("So many in so many seconds, counted from each: a place waits until the oldest that counts is over")
    func waits() {
        let (tries, here) = (PlaceTries(pace), CallPlace("192.0.2.1"))
        for offset in [UInt64(0), 10, 20] { #expect(tries.take(here, at: start + offset) == nil) }
        #expect(tries.take(here, at: start + 20) == 40 && tries.wait(here, at: start + 59) == 1)
        #expect(tries.take(here, at: start + 60) == nil)
        // In its place the one of ten seconds later.
        #expect(tries.take(here, at: start + 60) == 10)
        #expect(tries.take(CallPlace("192.0.2.2"), at: start + 60) == nil && tries.take(.unknown, at: start + 60) == nil)
    }

    @Test("What is given back counts no more, and a clock that was put back lets nobody try more often")
    func givenBack() {
        let (tries, here) = (PlaceTries(pace), CallPlace("192.0.2.1"))
        for _ in 0..<3 { #expect(tries.take(here, at: start) == nil) }
        tries.giveBack(here, takenAt: start)
        #expect(tries.take(here, at: start + 1) == nil)
        #expect(tries.take(here, at: start - 500) == 60)
    }

    @Test("Names that a proxy passes on are places of their own, and all of them together are bounded")
    func proxies() {
        let tries = PlaceTries(pace)
        var taken = 0
        // As many places as somebody makes up.
        for number in 0..<1_000 where tries.take(CallPlace("made-up-\(number)", through: "10.0.0.1"), at: start) == nil { taken += 1 }
        #expect(taken == 300)
        #expect(tries.take(CallPlace("192.0.2.1", through: "10.0.0.2"), at: start) == nil)
        #expect(tries.take(CallPlace("192.0.2.1", through: "10.0.0.1"), at: start + 60) == nil)
    }

    @Test("Of more places than are remembered the one that tried longest ago is forgotten")
    func forgets() {
        let tries = PlaceTries(Pace(1, in: 1_000_000))
        for number in 0...PlaceTries.mostPlaces { #expect(tries.take(CallPlace("\(number)"), at: start + UInt64(number)) == nil) }
        let now = start + 20_000
        #expect(tries.wait(CallPlace("0"), at: now) == nil && tries.wait(CallPlace("1"), at: now) != nil)
    }
}
