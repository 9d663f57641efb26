import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("When keys are fetched again")
struct KeySetFreshnessTests {
    private let now = TokenFixture.now

    @Test("At first, and when they are ten minutes old")
    func age() {
        let none = KeySetFreshness()
        #expect(none.shouldFetch(isKeyUnknown: false, at: now))
        let fetched = none.after(success: true, at: now)
        #expect(!fetched.shouldFetch(isKeyUnknown: false, at: now + 599))
        #expect(fetched.shouldFetch(isKeyUnknown: false, at: now + 600))
    }

    @Test("rs_kid_unknown_refetch_once, rs_key_rotation_no_outage: a new key is met at once")
    func unknownKey() {
        let fetched = KeySetFreshness().after(success: true, at: now)
        #expect(fetched.shouldFetch(isKeyUnknown: true, at: now + 30))
        #expect(!fetched.shouldFetch(isKeyUnknown: false, at: now + 30))
    }

    @Test("rs_kid_unknown_flood_cooldown: a million made-up names in half a minute are one fetch")
    func flood() {
        let fetched = KeySetFreshness().after(success: true, at: now)
        for second in UInt64(0)..<30 { #expect(!fetched.shouldFetch(isKeyUnknown: true, at: now + second)) }
    }

    @Test("A clock that was ahead for a moment stops nothing once it is right again")
    func clockPutBack() {
        let fetched = KeySetFreshness().after(success: true, at: now + 86_400)
        #expect(fetched.shouldFetch(isKeyUnknown: true, at: now))
        #expect(fetched.shouldFetch(isKeyUnknown: false, at: now))
        // Ten seconds are no reason.
        #expect(!KeySetFreshness().after(success: true, at: now + 10).shouldFetch(isKeyUnknown: true, at: now))
    }

    @Test("rs_jwks_down_keeps_last_good: a fetch in vain is tried again after a while, and the keys stay what they were")
    func down() {
        let fetched = KeySetFreshness().after(success: true, at: now)
        let failed = fetched.after(success: false, at: now + 700)
        #expect(failed.fetchedAt == now)
        #expect(!failed.shouldFetch(isKeyUnknown: true, at: now + 729))
        #expect(failed.shouldFetch(isKeyUnknown: false, at: now + 730))
    }
}
