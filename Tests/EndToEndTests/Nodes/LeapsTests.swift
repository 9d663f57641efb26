import OstiaryTesting
import Testing

@Suite("What nodes say while a clock is wrong")
struct LeapsTests {
    private static let leaps = {
        var leaps = Leaps()
        leaps.note("B", from: .seconds(10), until: .seconds(20))
        return leaps
    }()

    private static func call(
        _ caller: String, _ action: AliveUntilStopped.Action, _ answer: AliveUntilStopped.Answer, from: Int, until: Int
    ) -> AliveUntilStopped.Call {
        ObservedCall(caller, "session", action, invoked: .seconds(from), .answered(answer, at: .seconds(until)))
    }

    @Test("That a session is over is no word for good, at that time only")
    func forgiven() {
        let forgiven = [(9, 10), (12, 13), (20, 25), (5, 30)].map { Self.call("backend 1 at B", .read, .over, from: $0, until: $1) }
        let kept = [(8, 9), (21, 22)].map { Self.call("backend 1 at B", .read, .over, from: $0, until: $1) }
        #expect(Self.leaps.sound(forgiven + kept) == kept)
    }

    @Test("Nodes whose clocks are right are forgiven only what that one may have written, which somebody may have asked about the same thing")
    func right() {
        let over = Self.call("backend 2 at C", .read, .over, from: 15, until: 16)
        #expect(Self.leaps.sound([over]) == [over])
        let alone = [
            Self.call("backend 1 at B", .read, .alive, from: 8, until: 9), Self.call("backend 0 at A", .read, .alive, from: 12, until: 13),
            Self.call("client 1 at B", .stop, .over, from: 21, until: 22),
        ]
        #expect(Self.leaps.sound(alone + [over]) == alone + [over])
        let askers = [
            Self.call("backend 1 at B", .read, .alive, from: 9, until: 11),
            Self.call("client 1 at B, another verifier", .stop, .over, from: 12, until: 13),
            Self.call("alice", .begin, .alive, from: 19, until: 22),
            ObservedCall("backend 1 at B", "session", AliveUntilStopped.Action.stop, invoked: .seconds(3), .unknown),
        ]
        for asker in askers { #expect(Self.leaps.sound([asker, over]) == [asker], "\(asker)") }
    }

    @Test("That somebody is logged in, and that a stop is done, counts whatever the clock says")
    func counted() {
        let kept = [
            Self.call("backend 1 at B", .read, .alive, from: 12, until: 13), Self.call("backend 1 at B", .stop, .over, from: 12, until: 13),
            ObservedCall("backend 1 at B", "session", AliveUntilStopped.Action.read, invoked: .seconds(12), .unknown),
        ]
        #expect(Self.leaps.sound(kept) == kept)
    }
}
