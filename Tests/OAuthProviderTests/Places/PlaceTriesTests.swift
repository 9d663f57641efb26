import OAuthProvider
import OstiaryProtocol
import Testing

@Suite("How often a place tries something")
struct PlaceTriesTests {
    private let start = Instant(1_000_000)

    /// What rows would keep, for one kind of try.
    private struct Kept {
        var budget = TryBudget(.userCode, Pace(3, in: 60))
        private var rows: [TriedFrom: RecentTries] = [:]
        private var calls: UInt64 = 0

        func wait(_ place: CallPlace, at now: Instant) -> UInt64? { tries(place).wait(at: now) }

        /// As whoever has the rows: nil when it was counted, otherwise the seconds to wait.
        mutating func take(_ place: CallPlace, at now: Instant) -> UInt64? {
            let (before, wait) = (tries(place), wait(place, at: now))
            calls += 1
            var mark = ByteWriter()
            mark.u64(calls)
            let kept = wait == nil ? before.adding(mark.bytes, at: now) : before.noticing(now)
            if kept != before { for part in kept.parts { rows[part.from] = part.recent } }
            return wait
        }

        var places: Int { rows.count }
        var most: Int { rows.values.map(\.tries.count).max() ?? 0 }

        func tries(_ place: CallPlace) -> PlaceTries { PlaceTries(budget, from: place) { rows[$0] ?? RecentTries() } }
    }

    @Test("So many in so many seconds, counted from each: a place waits until the oldest that counts is over")
    func waits() {
        var (tries, here) = (Kept(), CallPlace("192.0.2.1"))
        for offset in [UInt64(0), 10, 20] { #expect(tries.take(here, at: start + offset) == nil) }
        #expect(tries.take(here, at: start + 20) == 40)
        #expect(tries.wait(here, at: start + 59) == 1)
        #expect(tries.take(here, at: start + 60) == nil)
        // In its place the one of ten seconds later.
        #expect(tries.take(here, at: start + 60) == 10)
        here = CallPlace("192.0.2.2")
        #expect(tries.take(here, at: start + 60) == nil)
        #expect(tries.take(.unknown, at: start + 60) == nil)
    }

    @Test("However often a place tries, no more is kept of it than may count")
    func bounded() {
        var tries = Kept()
        let here = CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1")
        for second in 0..<5_000 { _ = tries.take(here, at: start + UInt64(second) * 20) }
        #expect(tries.places == 3 && tries.most == 300)
    }

    @Test("A call finds by its mark that it was counted, at each level; another's mark is none")
    func marks() {
        let place = CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1")
        let (mine, others) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 8))
        let tries = Kept().tries(place).adding(mine, at: start)
        #expect(tries.holds(mine) && !tries.holds(others))
        #expect(tries.parts.allSatisfy { $0.recent.holds(mine) } && tries.parts.count == 3)
        #expect(tries.adding(others, at: start).holds(mine))
    }

    @Test("Names that a proxy passes on are places of their own, and all of them together are bounded")
    func proxies() {
        var tries = Kept()
        var taken = 0
        // As many places as somebody makes up.
        for number in 0..<1_000 where tries.take(CallPlace("made-up-\(number)", through: "10.0.0.1"), at: start) == nil { taken += 1 }
        #expect(taken == 300)
        // What is refused leaves nothing.
        #expect(tries.places == 301)
        #expect(tries.take(CallPlace("192.0.2.1", through: "10.0.0.2"), at: start) == nil)
        #expect(tries.take(CallPlace("192.0.2.1", through: "10.0.0.1"), at: start + 60) == nil)
    }

    @Test("A /56 of IPv6 has four times what one /64 has, whichever of its 256 ask; another /56 counts nothing for it")
    func networks() {
        var tries = Kept()
        func place(_ number: Int, in network: String = "2001:db8:1:200::/56") -> CallPlace { CallPlace("net-\(number)", in: network) }
        var taken = 0
        for number in 0..<256 where tries.take(place(number), at: start) == nil { taken += 1 }
        #expect(taken == 12)
        #expect(tries.wait(place(256), at: start + 59) == 1)
        #expect(tries.wait(place(256), at: start + 60) == nil)
        #expect(tries.take(place(1_000, in: "2001:db8:1:300::/56"), at: start) == nil)
        // One of them alone has no more than an address has.
        for _ in 0..<3 { #expect(tries.take(place(0), at: start + 60) == nil) }
        #expect(tries.take(place(0), at: start + 60) == 60)
    }

    /// An hour, and ten days.
    private static let jumps: [UInt64] = [3_600, 864_000]

    @Test("What a clock counted that ran ahead locks nobody for longer than what is counted now, and gives nobody more tries", arguments: jumps)
    func ranAhead(by jump: UInt64) {
        var tries = Kept()
        let (here, there) = (CallPlace("192.0.2.1"), CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1"))
        for place in [here, there] { for _ in 0..<3 { #expect(tries.take(place, at: start + jump) == nil) } }
        // It is put right.
        #expect(tries.take(here, at: start) == 60)
        #expect(tries.take(here, at: start + 59) == 1)
        for _ in 0..<3 { #expect(tries.take(here, at: start + 60) == nil) }
        #expect(tries.take(here, at: start + 60) == 60)
        // Who asks only now: it is seen now, and counts from now on.
        #expect(tries.take(there, at: start + 60) == 60)
        for _ in 0..<3 { #expect(tries.take(there, at: start + 120) == nil) }
        #expect(tries.take(there, at: start + 120) == 60)
    }

    @Test("What a clock counted that ran behind is over when it is put right", arguments: jumps)
    func ranBehind(by jump: UInt64) {
        var tries = Kept()
        let here = CallPlace("192.0.2.1")
        for _ in 0..<3 { #expect(tries.take(here, at: start) == nil) }
        // It falls back: who is locked stays so for a minute.
        #expect(tries.take(here, at: start - jump) == 60)
        for _ in 0..<3 { #expect(tries.take(here, at: start - jump + 60) == nil) }
        #expect(tries.take(here, at: start - jump + 61) == 59)
        // It is put right.
        for _ in 0..<3 { #expect(tries.take(here, at: start + 120) == nil) }
        #expect(tries.take(here, at: start + 120) == 60)
    }

    @Test("Two nodes, one's clock wrong all the time: a place has a budget by each clock and no more, and is free again when it waits")
    func twoClocks() {
        for ahead in Self.jumps {
            var tries = Kept()
            let here = CallPlace("192.0.2.1")
            var (right, wrong) = (0, 0)
            // For an hour, at one and at the other in turn, each second.
            for second in 0..<UInt64(3_600) {
                if tries.take(here, at: start + second) == nil { right += 1 }
                if tries.take(here, at: start + second + ahead) == nil { wrong += 1 }
            }
            #expect(wrong + right <= 2 * 3 * 60 && wrong > 0 && right > 0, "\(wrong) and \(right)")
            #expect(tries.take(here, at: start + 3_600 + 120) == nil)
        }
    }

    @Test("Calls that come in another order than their moments move nothing")
    func disorder() {
        var tries = Kept()
        let here = CallPlace("192.0.2.1")
        for moment in [start + 5, start, start + 3] { #expect(tries.take(here, at: moment) == nil) }
        #expect(tries.wait(here, at: start + 5) == 55)
        #expect(tries.wait(here, at: start + 59) == 1)
        #expect(tries.wait(here, at: start + 60) == nil)
    }

    @Test("A call of which the body was slow makes nobody's tries older or younger, those of its proxy and its network neither")
    func slowBody() {
        var (tries, stranger) = (Kept(), CallPlace("198.51.100.1"))
        let here = CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1")
        for _ in 0..<3 { #expect(tries.take(here, at: start + 30) == nil) }
        #expect(tries.take(here, at: start) == 60)
        stranger = CallPlace("198.51.100.2", through: "10.0.0.1")
        #expect(tries.take(stranger, at: start) == nil)
        #expect(tries.take(here, at: start + 89) == 1)
    }
}
