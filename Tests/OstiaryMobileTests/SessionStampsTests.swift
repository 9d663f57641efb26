import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("Time stamps about a session")
struct SessionStampsTests {
    private let base = Instant(1_800_000_000)

    @Test("Of two requests in flight that are both refused for their clock no stamp is left, whichever is answered first", arguments: [false, true])
    func bothRefused(_ isLaterFirst: Bool) {
        var stamps = SessionStamps(after: base)
        let sent = [base + 10, base + 20]
        for stamp in sent { stamps.send(stamp) }
        for stamp in isLaterFirst ? sent.reversed() : sent { stamps.settle(stamp, isTaken: false) }
        #expect(stamps.last == base)
    }

    @Test("What is refused takes nothing from what is in flight or lost, nor from what was taken", arguments: [false, true])
    func othersStay(_ isSettled: Bool) {
        var stamps = SessionStamps(after: base)
        stamps.send(base + 10)
        stamps.send(base + 20)
        if isSettled { stamps.settle(base + 10, isTaken: true) }
        #expect(stamps.last == base + 20)
        stamps.settle(base + 20, isTaken: false)
        #expect(stamps.last == base + 10)
    }

    @Test("A later one that was taken stays when an earlier one is refused, or is told of afterwards", arguments: [false, true])
    func earlierComesLate(_ isTaken: Bool) {
        var stamps = SessionStamps(after: base)
        stamps.send(base + 10)
        stamps.send(base + 20)
        stamps.settle(base + 20, isTaken: true)
        stamps.settle(base + 10, isTaken: isTaken)
        #expect(stamps.last == base + 20)
    }

    @Test("Where two requests bear one time, the refusal of one leaves the other's")
    func sameTime() {
        var stamps = SessionStamps(after: base)
        stamps.send(base + 10)
        stamps.send(base + 10)
        stamps.settle(base + 10, isTaken: false)
        #expect(stamps.last == base + 10)
    }

    @Test(
        "The next stamp is the server's time, or a second after the last where that comes later, up to what a server is sure to take",
        arguments: [
            (0, 1_000), (999, 1_000), (1_000, 1_001), (1_060, 1_061), (1_109, 1_110), (1_110, 1_000), (864_000, 1_000), (.max, 1_000),
        ] as [(UInt64, UInt64)])
    func next(_ last: UInt64, _ next: UInt64) {
        #expect(SessionStamps.next(after: Instant(last), at: Instant(1_000)) == Instant(next))
    }
}
