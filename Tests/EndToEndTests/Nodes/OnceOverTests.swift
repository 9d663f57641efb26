import OstiaryTesting
import Testing

/// What is held against the codes of a run of real nodes, with the faults that it is to find.
@Suite("What a run must explain of enrolment codes and return codes")
struct OnceOverTests {
    /// No clock was wrong, nor anything slow.
    private static let calm = OnceOver(begun: ["code": .zero], leaps: Leaps())
    /// That of B was wrong from the tenth to the twentieth second.
    private static let leapt = {
        var leaps = Leaps()
        leaps.note("B", from: .seconds(10), until: .seconds(20))
        return OnceOver(begun: ["code": .zero], leaps: leaps)
    }()

    private static func claim(_ phone: Int, _ from: Int, _ until: Int, _ answer: RedeemedOnce.Answer?) -> RedeemedOnce.Call {
        ObservedCall(
            "phone \(phone)", "code", RedeemedOnce.Action(request: phone), invoked: .seconds(from),
            answer.map { .answered($0, at: .seconds(until)) } ?? .unknown)
    }

    /// - Parameter node: that was asked; nil where nobody knows which.
    private static func handIn(
        _ browser: HandedInOnce.Action, at node: String? = nil, _ from: Int, _ until: Int, _ answer: HandedInOnce.Answer?
    ) -> HandedInOnce.Call {
        ObservedCall(
            "\(browser) browser" + (node.map { ", backend 1 at \($0)" } ?? ""), "code", browser, invoked: .seconds(from),
            answer.map { .answered($0, at: .seconds(until)) } ?? .unknown)
    }

    @Test("A phone has the code, those beside it come too late, and whoever heard nothing hears it when it asks again")
    func claims() {
        let right = [
            [Self.claim(0, 1, 3, .given), Self.claim(1, 1, 3, .refused), Self.claim(2, 1, 4, .refused)],
            [Self.claim(0, 1, 2, nil), Self.claim(1, 1, 3, .refused), Self.claim(0, 4, 5, .given)],
            [Self.claim(0, 1, 2, nil), Self.claim(1, 1, 3, .given), Self.claim(0, 4, 5, .refused)],
            [Self.claim(0, 1, 2, nil), Self.claim(1, 1, 3, .refused)],
        ]
        for calls in right {
            for judge in [Self.calm, Self.leapt] { #expect(judge.faults(inClaims: calls).isEmpty, "\(calls)") }
        }
    }

    @Test("Planted: a code that two phones are given is found whatever clocks did, and one that is lost to its phone or to all while none was wrong")
    func plantedClaims() {
        let twice = [Self.claim(0, 11, 13, .given), Self.claim(1, 11, 13, .given)]
        for judge in [Self.calm, Self.leapt] { #expect(judge.faults(inClaims: twice).count == 1) }
        let lost = [
            [Self.claim(0, 11, 12, .given), Self.claim(0, 13, 14, .refused)], [Self.claim(0, 11, 13, .refused), Self.claim(1, 11, 13, .refused)],
        ]
        for calls in lost {
            #expect(Self.calm.faults(inClaims: calls).count == 1, "\(calls)")
            #expect(Self.leapt.faults(inClaims: calls).isEmpty, "\(calls)")
        }
        // One whose beginning nobody knows, or that may be too old.
        #expect(OnceOver(begun: [:], leaps: Leaps()).faults(inClaims: lost[1]).isEmpty)
        #expect(Self.calm.faults(inClaims: [Self.claim(0, 70, 71, .refused)]).isEmpty)
        #expect(Self.calm.faults(inClaims: [Self.claim(0, 50, 51, .refused)]).count == 1)
    }

    @Test("Planted: a return code that lets in another browser, or its own behind another, is found, and one that refuses its own without a cause")
    func plantedHandIns() {
        let right = [
            [Self.handIn(.own, 1, 2, .loggedIn), Self.handIn(.other, 1, 3, .refused), Self.handIn(.own, 4, 5, .loggedIn)],
            [Self.handIn(.other, 1, 2, .refused), Self.handIn(.own, 3, 4, .refused)],
            [Self.handIn(.other, 1, 2, nil), Self.handIn(.own, 3, 4, .refused)],
        ]
        for calls in right { #expect(Self.calm.faults(inHandIns: calls).isEmpty, "\(calls)") }
        let wrong = [
            [Self.handIn(.other, 1, 2, .loggedIn)], [Self.handIn(.other, 1, 2, .refused), Self.handIn(.own, 3, 4, .loggedIn)],
            [Self.handIn(.own, 1, 2, .refused)], [Self.handIn(.own, 1, 2, .loggedIn), Self.handIn(.own, 3, 4, .refused)],
        ]
        for calls in wrong { #expect(Self.calm.faults(inHandIns: calls).count == 1, "\(calls)") }
        // The other was asked while a clock was wrong, by which there was nothing to spend; and nothing is good any more by it.
        #expect(Self.leapt.faults(inHandIns: [Self.handIn(.other, 11, 12, .refused), Self.handIn(.own, 30, 31, .loggedIn)]).isEmpty)
        #expect(Self.leapt.faults(inHandIns: [Self.handIn(.own, 11, 12, .refused), Self.handIn(.own, 30, 31, .loggedIn)]).isEmpty)
        #expect(Self.leapt.faults(inHandIns: [Self.handIn(.other, 22, 23, .refused), Self.handIn(.own, 30, 31, .loggedIn)]).count == 1)
        #expect(Self.leapt.faults(inHandIns: [Self.handIn(.other, 11, 12, .loggedIn)]).count == 1)
    }

    @Test("Planted: what a node with the right time says of a return code has no excuse in the clock of another that was not asked meanwhile")
    func rightNodes() {
        let before = Self.handIn(.own, at: "A", 5, 6, .loggedIn)
        let forgotten = Self.handIn(.own, at: "C", 12, 13, .refused)
        for asked in [[], [Self.handIn(.other, at: "B", 8, 9, .refused)], [Self.handIn(.other, at: "B", 21, 22, .refused)]] {
            let calls = [before, forgotten] + asked
            #expect(Self.leapt.faults(inHandIns: calls).count == 1, "\(calls)")
            #expect(Self.leapt.excuses(ofHandIns: calls) == [.nothing], "\(calls)")
        }
        for asked in [Self.handIn(.other, at: "B", 14, 15, .refused), Self.handIn(.other, at: "B", 8, 9, nil)] {
            let calls = [before, forgotten, asked]
            #expect(Self.leapt.faults(inHandIns: calls).isEmpty, "\(calls)")
            #expect(Self.leapt.excuses(ofHandIns: calls) == [.clock], "\(calls)")
        }
        // What that node itself said is none of the others' word.
        let wrong = Self.handIn(.own, at: "B", 12, 13, .refused)
        #expect(Self.leapt.faults(inHandIns: [before, wrong, Self.handIn(.own, at: "A", 14, 15, .loggedIn)]).isEmpty)
        let right = Self.handIn(.own, at: "A", 12, 13, .refused)
        #expect(Self.leapt.faults(inHandIns: [before, right, Self.handIn(.own, at: "B", 14, 15, .loggedIn)]).count == 1)
        // Nobody knows where it came about.
        #expect(Self.leapt.excuses(ofHandIns: [forgotten]) == [.clock])
    }

    @Test("Which codes have an excuse is told: by their age, by a clock, as phones go from node to node, or as nobody knows when they came about")
    func excuses() {
        let early = [Self.claim(0, 1, 3, .given), Self.claim(1, 1, 3, .refused)]
        #expect(Self.leapt.excuses(ofClaims: early) == [.nothing] && Self.calm.excuses(ofClaims: early) == [.nothing])
        let meanwhile = early + [Self.claim(0, 12, 13, .given)]
        #expect(Self.leapt.excuses(ofClaims: meanwhile) == [.clock] && Self.calm.excuses(ofClaims: meanwhile) == [.nothing])
        #expect(Self.calm.excuses(ofClaims: early + [Self.claim(0, 60, 61, .given)]) == [.age])
        #expect(OnceOver(begun: [:], leaps: Leaps()).excuses(ofClaims: early) == [.unknown])
    }
}
