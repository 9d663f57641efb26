import Authentication
import OstiaryProtocol
import Testing

@Suite("EnrolmentMachine")
struct EnrolmentMachineTests {
    private typealias Sample = EnrolmentSample
    private let now = Sample.start + 10

    @Test("The first phone takes the invitation, and the same one may ask again for the same account")
    func claim() throws {
        let claimed = try Sample.enrolment().after(.claim(Sample.claim(1)), at: now)
        #expect(claimed.state == .claimed(Sample.claim(1)))
        let again = Sample.claim(1, request: 2)
        #expect(try claimed.after(.claim(again), at: now).state == .claimed(again))
    }

    @Test("Another phone comes too late, and so does the same key for another account")
    func otherPhone() {
        let claimed = Sample.enrolment(.claimed(Sample.claim(1)))
        #expect(claimed.refusal(of: .claim(Sample.claim(2)), at: now) == .enrolmentUsed)
        #expect(claimed.refusal(of: .claim(Sample.claim(2, account: 1)), at: now) == .enrolmentUsed, "not even for the first one's account")
        #expect(claimed.refusal(of: .claim(Sample.claim(1, account: 9)), at: now) == .enrolmentUsed)
    }

    @Test(
        "A phone that declines frees the invitation for another, and until then the page knows why", arguments: [Decision.decline, .notMe, .gaveUp])
    func decline(decision: Decision) throws {
        let freed = try Sample.enrolment(.claimed(Sample.claim(1))).after(.decline(decision), at: now)
        #expect(freed.state == .open && freed.progress == .givenBack(decision))
        #expect(freed.settled(at: Sample.start + 601).progress == .failed(.expired))
        let other = try freed.after(.claim(Sample.claim(2)), at: now)
        #expect(other.progress == .phoneScanned(device: "phone 2") && other.givenBack == nil)
    }

    @Test("The decision starts ten more minutes for the code")
    func finish() throws {
        let finished = try Sample.enrolment(.claimed(Sample.claim(1))).after(.finish(Sample.finish), at: Sample.start + 600)
        #expect(finished.state == .confirming(Sample.claim(1), Sample.finish))
        #expect(finished.expiresAt == Sample.start + 1_200)
        #expect(finished.refusal(of: .activate(Sample.activation), at: Sample.start + 1_200) == nil)
        #expect(finished.refusal(of: .activate(Sample.activation), at: Sample.start + 1_201) == .enrolmentOld)
    }

    @Test("A link is good for ten minutes, to the second")
    func life() {
        let open = Sample.enrolment()
        #expect(open.refusal(of: .claim(Sample.claim(1)), at: Sample.start + 600) == nil)
        #expect(open.refusal(of: .claim(Sample.claim(1)), at: Sample.start + 601) == .enrolmentOld)
        let claimed = Sample.enrolment(.claimed(Sample.claim(1)))
        #expect(claimed.refusal(of: .finish(Sample.finish), at: Sample.start + 601) == .enrolmentOld)
        #expect(claimed.settled(at: Sample.start + 601).state == .failed(.expired, Sample.claim(1)))
    }

    @Test("Two wrong codes are forgiven, the third ends it")
    func wrongCodes() throws {
        var enrolment = Sample.enrolment(.confirming(Sample.claim(1), Sample.finish))
        for tries in 1...2 {
            enrolment = try enrolment.after(.wrongCode, at: now)
            #expect(enrolment.wrongCodes == UInt8(tries))
            #expect(enrolment.progress == .waitingForCode(device: "phone 1", triesLeft: UInt8(3 - tries)))
        }
        enrolment = try enrolment.after(.wrongCode, at: now)
        #expect(enrolment.state == .failed(.wrongCodes, Sample.claim(1)))
        #expect(enrolment.refusal(of: .activate(Sample.activation), at: now) == .enrolmentUsed)
    }

    @Test(
        "Steps out of order are refused",
        arguments: [
            (
                EnrolmentSample.enrolment(),
                [EnrolmentEvent.decline(.decline), .finish(Sample.finish), .activate(Sample.activation), .wrongCode, .delete]
            ),
            (EnrolmentSample.enrolment(.claimed(Sample.claim(1))), [.activate(Sample.activation), .wrongCode, .delete]),
            (
                EnrolmentSample.enrolment(.confirming(Sample.claim(1), Sample.finish)),
                [.claim(Sample.claim(1)), .claim(Sample.claim(2)), .decline(.notMe), .finish(Sample.finish)]
            ),
            (EnrolmentSample.enrolment(.active(Sample.claim(1), Sample.finish, Sample.activation)), Sample.everything),
            (EnrolmentSample.enrolment(.failed(.wrongCodes, Sample.claim(1))), Sample.everything),
            (EnrolmentSample.enrolment(.failed(.deleted, Sample.claim(1))), Sample.everything),
        ])
    func outOfOrder(enrolment: Enrolment, events: [EnrolmentEvent]) {
        for event in events { #expect(enrolment.refusal(of: event, at: now) == .enrolmentUsed) }
    }

    @Test("An enrolment that ran out, or whose nonce was logged out, takes nothing and says so", arguments: Sample.everything)
    func expired(event: EnrolmentEvent) {
        for failure in [Enrolment.Failure.expired, .loggedOut] {
            #expect(Sample.enrolment(.failed(failure, nil)).refusal(of: event, at: now) == .enrolmentOld)
        }
    }

    @Test("What succeeded does not run out")
    func activeStays() {
        let active = Sample.enrolment(.active(Sample.claim(1), Sample.finish, Sample.activation))
        #expect(active.settled(at: Instant(.max)) == active)
    }

    @Test("The page is told of the device and never of the code")
    func progress() {
        #expect(Sample.enrolment().progress == .waitingForPhone)
        #expect(Sample.enrolment(.claimed(Sample.claim(1))).progress == .phoneScanned(device: "phone 1"))
        #expect(
            Sample.enrolment(.active(Sample.claim(1), Sample.finish, Sample.activation)).progress == .activated(account: Sample.account(1)))
        #expect(Sample.enrolment(.failed(.expired, nil)).progress == .failed(.expired))
    }
}
