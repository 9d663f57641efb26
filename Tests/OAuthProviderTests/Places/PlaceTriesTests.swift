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

    @Test("A /56 of IPv6 has four times what one /64 has, whichever of its 256 ask; another /56, and what was given back, counts nothing for it")
    func networks() {
        let tries = PlaceTries(pace)
        func place(_ number: Int, in network: String = "2001:db8:1:200::/56") -> CallPlace { CallPlace("net-\(number)", in: network) }
        for _ in 0..<9 {
            #expect(tries.take(place(0), at: start) == nil)
            tries.giveBack(place(0), takenAt: start)
        }
        var taken = 0
        for number in 0..<256 where tries.take(place(number), at: start) == nil { taken += 1 }
        #expect(taken == 12)
        #expect(tries.wait(place(256), at: start + 59) == 1 && tries.wait(place(256), at: start + 60) == nil)
        #expect(tries.take(place(1_000, in: "2001:db8:1:300::/56"), at: start) == nil)
        // One of them alone has no more than an address has.
        for _ in 0..<3 { #expect(tries.take(place(0), at: start + 60) == nil) }
        #expect(tries.take(place(0), at: start + 60) == 60)
    }

    /// An hour, and ten days.
    private static let jumps: [UInt64] = [3_600, 864_000]

    @Test("What a clock counted that ran ahead locks nobody for longer than what is counted now, and gives nobody more tries", arguments: jumps)
    func ranAhead(by jump: UInt64) {
        let (tries, here, there) = (PlaceTries(pace), CallPlace("192.0.2.1"), CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1"))
        for place in [here, there] { for _ in 0..<3 { #expect(tries.take(place, at: start + jump) == nil) } }
        // It is put right.
        #expect(tries.take(here, at: start) == 60 && tries.take(here, at: start + 59) == 1)
        for place in [here, there] {
            // Also who asks only now.
            for _ in 0..<3 { #expect(tries.take(place, at: start + 60) == nil) }
            #expect(tries.take(place, at: start + 60) == 60)
        }
    }

    @Test("What a clock counted that ran behind is over when it is put right", arguments: jumps)
    func ranBehind(by jump: UInt64) {
        let (tries, here) = (PlaceTries(pace), CallPlace("192.0.2.1"))
        for _ in 0..<3 { #expect(tries.take(here, at: start) == nil) }
        // It falls back: who is locked stays so for a minute.
        #expect(tries.take(here, at: start - jump) == 60)
        for _ in 0..<3 { #expect(tries.take(here, at: start - jump + 60) == nil) }
        #expect(tries.take(here, at: start - jump + 61) == 59)
        // It is put right.
        for _ in 0..<3 { #expect(tries.take(here, at: start + 120) == nil) }
        #expect(tries.take(here, at: start + 120) == 60)
    }

    @Test("Calls that come in another order than their moments move nothing")
    func disorder() {
        let (tries, here) = (PlaceTries(pace), CallPlace("192.0.2.1"))
        for moment in [start + 5, start, start + 3] { #expect(tries.take(here, at: moment) == nil) }
        #expect(tries.wait(here, at: start + 5) == 60 && tries.wait(here, at: start + 65) == nil)
        tries.giveBack(here, takenAt: start + 3)
        #expect(tries.wait(here, at: start + 5) == nil)
    }

    @Test("A call of which the body was slow makes nobody's tries older, those of its proxy and its network neither")
    func slowBody() {
        let (tries, stranger) = (PlaceTries(pace), CallPlace("198.51.100.1"))
        let here = CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1")
        for _ in 0..<3 { #expect(tries.take(here, at: start + 30) == nil) }
        for place in [stranger, here] { _ = tries.wait(place, at: start) }
        #expect(tries.take(here, at: start + 89) == 1)
    }

    @Test("After a clock that ran ahead for many places, who tries now is remembered before them", arguments: jumps)
    func rememberedAfterwards(by jump: UInt64) {
        let tries = PlaceTries(pace)
        for number in 0..<PlaceTries.mostPlaces { #expect(tries.take(CallPlace("\(number)"), at: start + jump) == nil) }
        let here = CallPlace("192.0.2.1")
        for _ in 0..<3 { #expect(tries.take(here, at: start) == nil) }
        #expect(tries.take(here, at: start) == 60)
    }

    @Test("Of more places than are remembered the one that tried longest ago is forgotten")
    func forgets() {
        let tries = PlaceTries(Pace(1, in: 1_000_000))
        for number in 0...PlaceTries.mostPlaces { #expect(tries.take(CallPlace("\(number)"), at: start + UInt64(number)) == nil) }
        let now = start + 20_000
        #expect(tries.wait(CallPlace("0"), at: now) == nil && tries.wait(CallPlace("1"), at: now) != nil)
    }
}
