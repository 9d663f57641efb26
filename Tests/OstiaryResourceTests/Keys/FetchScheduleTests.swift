import OstiaryProtocol
import Testing

@testable import OstiaryResource

@Suite("When something of the provider's is fetched")
struct FetchScheduleTests {
    private let now = Fixture.now

    private func fetched(at moment: Instant) -> FetchSchedule {
        var schedule = FetchSchedule(life: 600)
        schedule.began(at: moment)
        schedule.ended(success: true, begunAt: moment)
        return schedule
    }

    @Test("At first, and when half of its life is over; whoever comes later waits only when all of it is")
    func age() {
        let none = FetchSchedule(life: 600)
        #expect(none.shouldFetch(isWanting: true, at: now) && none.mustWait(isWanting: true, at: now) && !none.mayBeUsed(at: now))
        let schedule = fetched(at: now)
        #expect(!schedule.shouldFetch(isWanting: false, at: now + 299))
        #expect(schedule.shouldFetch(isWanting: false, at: now + 300))
        #expect(!schedule.mustWait(isWanting: false, at: now + 599))
        #expect(schedule.mustWait(isWanting: false, at: now + 600))
    }

    @Test("What is wanting is looked for at once, and waited for, but not within half a minute of the last look")
    func wanting() {
        let schedule = fetched(at: now)
        for second in UInt64(0)..<30 { #expect(!schedule.shouldFetch(isWanting: true, at: now + second)) }
        #expect(schedule.shouldFetch(isWanting: true, at: now + 30) && schedule.mustWait(isWanting: true, at: now + 30))
        #expect(!schedule.shouldFetch(isWanting: false, at: now + 30))
    }

    @Test("A fetch in vain is tried again, every half minute; nobody waits for it while there is something, which is for a day")
    func failure() {
        var schedule = fetched(at: now)
        schedule.began(at: now + 700)
        schedule.ended(success: false, begunAt: now + 700)
        #expect(!schedule.shouldFetch(isWanting: true, at: now + 729) && schedule.shouldFetch(isWanting: false, at: now + 730))
        #expect(!schedule.mustWait(isWanting: false, at: now + 730))
        #expect(schedule.mayBeUsed(at: now + 86_399) && !schedule.mayBeUsed(at: now + 86_400))
        #expect(schedule.mustWait(isWanting: false, at: now + 86_400))
    }

    @Test("A failure excuses nobody from waiting once it is as old as what was fetched may be")
    func oldFailure() {
        var schedule = fetched(at: now)
        schedule.began(at: now + 300)
        schedule.ended(success: false, begunAt: now + 300)
        #expect(!schedule.mustWait(isWanting: false, at: now + 600) && !schedule.mustWait(isWanting: false, at: now + 899))
        #expect(schedule.mustWait(isWanting: false, at: now + 900) && schedule.mustWait(isWanting: false, at: now + 72_000))
    }

    @Test("Before the first success a fetch in vain is tried again after two seconds")
    func first() {
        var schedule = FetchSchedule(life: 600)
        schedule.began(at: now)
        schedule.ended(success: false, begunAt: now)
        #expect(!schedule.shouldFetch(isWanting: true, at: now + 1) && schedule.shouldFetch(isWanting: true, at: now + 2))
    }

    @Test("A clock that was ahead for a moment stops nothing once it is right again")
    func clockPutBack() {
        let schedule = fetched(at: now + 86_400)
        #expect(schedule.shouldFetch(isWanting: true, at: now) && schedule.shouldFetch(isWanting: false, at: now))
        #expect(!fetched(at: now + 10).shouldFetch(isWanting: true, at: now))
    }
}
