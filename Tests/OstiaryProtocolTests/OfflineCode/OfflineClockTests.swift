import OstiaryProtocol
import Testing

@Suite("The time of an offline code")
struct OfflineClockTests {
    static let now = Instant(1_800_000_000)

    static func link(_ binding: Binding, issuedAt: Instant = now, frame: UInt16 = 0) -> LoginLink {
        LoginLink(
            serverTag: [1, 2, 3, 4], sessionID: OfflineCodeTests.session.id, issuedAt: UInt32(issuedAt.seconds), frame: frame, binding: binding,
            qrSecret: [])
    }

    @Test("S2-18 a moving code brings the time: an hour off, the phone's code is that of the server's interval, now and minutes later")
    func moving() throws {
        for (frame, elapsed) in [(UInt64(0), UInt64(0)), (3, 118), (299, 1), (60, 300)] {
            for wall in [Self.now - 3_600, Self.now, Self.now + 3_600] {
                let clock = try #require(OfflineClock(Self.link(.qrDynamic, frame: UInt16(frame)), wall: wall))
                #expect(clock.interval(after: elapsed) == OfflineCode.interval(at: Self.now + frame + elapsed))
            }
        }
    }

    @Test("S2-18 at a still code the phone's clock counts while it can be right, and never makes the code later than the server's when it is not")
    func still() throws {
        for binding in [Binding.qrStatic, .returnCode, .unboundLink] {
            for (ahead, scanned) in [(UInt64(0), UInt64(0)), (1, 1), (120, 120), (121, 0), (3_600, 0)] {
                #expect(OfflineClock(Self.link(binding), wall: Self.now + ahead)?.scannedAt == Self.now + scanned)
            }
            #expect(OfflineClock(Self.link(binding), wall: Self.now - 1)?.scannedAt == Self.now)
        }
    }

    @Test("S2-18 whenever it is made, a code is good for two minutes at least and for four at most, by the current and the previous interval")
    func spans() throws {
        for second in UInt64(0)..<240 {
            let clock = try #require(OfflineClock(Self.link(.qrDynamic), wall: Self.now))
            let interval = try #require(clock.interval(after: second))
            let good = (UInt64(0)...400).filter { wait in
                let current = OfflineCode.interval(at: Self.now + second + wait)
                return interval == current || interval + 1 == current
            }
            #expect((121...240).contains(good.count))
            #expect(UInt64(good.count) == clock.secondsLeft(after: second) + OfflineCode.step)
        }
    }

    @Test("Codes are made for five minutes from the scan, a fresh one every two, and then no more")
    func life() throws {
        let clock = try #require(OfflineClock(Self.link(.qrDynamic, frame: 60), wall: Self.now))
        let intervals = (UInt64(0)...300).map { clock.interval(after: $0) }
        #expect(Set(intervals).count == 4)
        #expect(!intervals.contains(nil))
        #expect(clock.interval(after: 301) == nil)
        #expect(clock.secondsLeft(after: 59) == 1)
        #expect(clock.secondsLeft(after: 60) == 120)
    }

    @Test("A login that no browser shows has no codes: one that was pushed, and an app's own")
    func others() {
        #expect(OfflineClock(Self.link(.push), wall: Self.now) == nil)
        #expect(OfflineClock(Self.link(.app), wall: Self.now) == nil)
    }

    @Test("S2-07 E4, L6 and PingAnswer say whether codes are taken, and how long they are; a login that was refused says nothing")
    func told() {
        for (length, bits) in [(OfflineCodeLength?.none, UInt16(0)), (.six, 4), (.eight, 12)] {
            #expect(LoginFlags.offlineCodes(length) == bits)
            let flags = bits | LoginFlags.returning
            #expect(E4(state: .active, otpReference: 1, otpKey: [], flags: bits).offlineCodes == length)
            #expect(L6(result: .loggedIn, sessionID: nil, pingTime: 0, userName: "", flags: flags).offlineCodes == length)
            #expect(L6(result: .denied, sessionID: nil, pingTime: 0, userName: "", flags: flags).offlineCodes == nil)
            #expect(PingAnswer(state: .loggedIn, reason: .none, pingTime: 0, flags: flags).offlineCodes == length)
        }
        #expect(LoginFlags.offlineCodeLength(8) == nil)
    }
}
