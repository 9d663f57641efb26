import Testing

@Suite("What comes of an enrolment code that several phones have read")
struct InvitationTests {
    private static func active(_ account: String) -> Invitation.Device { Invitation.Device(account: account, isActive: true) }
    private static func pending(_ account: String) -> Invitation.Device { Invitation.Device(account: account, isActive: false) }

    @Test("One device of the winner’s, one that nobody confirmed, or none")
    func right() {
        #expect(Invitation(user: "guest", shown: "a", heard: "a").problems(with: [Self.active("a")]).isEmpty)
        // Its code was typed, and the phone did not hear of it.
        #expect(Invitation(user: "guest", shown: "a").problems(with: [Self.active("a")]).isEmpty)
        for devices in [[], [Self.pending("a")]] {
            #expect(Invitation(user: "guest", shown: "a").problems(with: devices).isEmpty)
            #expect(Invitation(user: "guest").problems(with: devices).isEmpty)
        }
    }

    @Test("Planted: two devices from one code, a winner who is none, or who still waits, and a device that counts by itself are found")
    func planted() {
        let won = Invitation(user: "guest", shown: "a", heard: "a")
        for devices in [[Self.active("a"), Self.pending("b")], [], [Self.pending("a")]] {
            #expect(won.problems(with: devices).count == 1, "\(devices)")
        }
        // Of another who is one, too.
        #expect(won.problems(with: [Self.active("b")]).count == 2)
        #expect(won.problems(with: [Self.active("a"), Self.active("b")]).count == 2)
        #expect(Invitation(user: "guest", shown: "a").problems(with: [Self.active("b")]).count == 1)
        #expect(Invitation(user: "guest").problems(with: [Self.active("b")]).count == 1)
        #expect(Invitation(user: "guest").problems(with: [Self.pending("a"), Self.pending("b")]).count == 1)
    }
}
