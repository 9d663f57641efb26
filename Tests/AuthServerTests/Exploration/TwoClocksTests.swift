import OstiaryProtocol
import OstiaryTesting
import Testing

/// Random walks over two clocks. The seed of a walk that breaks a promise is in the message.
@Suite("Two clocks, explored")
struct TwoClocksTests {
    /// What was broken, in words.
    struct Violation: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private static let leaps: [Int64] = [5, 59, 61, 119, 121, 600, 3_600, 86_400, 864_000]

    @Test(
        "A13, A14, A22: whatever two clocks do, evaluations stay within the tries, an undisturbed right PIN logs in, and nobody is kept out when they are right",
        arguments: 0..<8 as Range<UInt64>)
    func explore(_ part: UInt64) async {
        await onOwnThread {
            for seed in part * 150..<(part + 1) * 150 {
                do { try walk(seed) } catch { Issue.record("seed \(seed): \(error)") }
            }
        }
    }

    private func walk(_ seed: UInt64) throws {
        var dice = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var world = TwoClocks()
        for _ in 0..<60 {
            try step(&world, &dice)
            guard world.wrong <= 5 else { throw Violation("\(world.wrong) wrong PINs were evaluated since the last right one") }
            if let seconds = world.shortened { throw Violation("a penalty was \(seconds) s shorter than ordered") }
        }
        try comeHome(&world, after: UInt64.random(in: 11...900, using: &dice))
    }

    private func step(_ world: inout TwoClocks, _ dice: inout SplitMix) throws {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0, 1: world.pass(UInt64.random(in: 1...600, using: &dice))
        // Quartz: a few seconds more or less a day.
        case 2:
            world.pass(86_400)
            world.leap(authentication: Int64.random(in: -3...3, using: &dice), secondFactor: Int64.random(in: -3...3, using: &dice))
        case 3: leap(&world, &dice)
        case 4: world.putRight(authentication: Bool.random(using: &dice), secondFactor: Bool.random(using: &dice))
        case 5: world.putRight()
        case 6:
            var second = dice
            _ = world.logIn(isRight: true) { leap(&$0, &second) }
            dice = second
        case 7: _ = world.logIn(isRight: Bool.random(using: &dice), isAnswered: false)
        case 8: _ = world.reset()
        case 9: _ = world.logIn(isRight: false)
        default: try logInUndisturbed(&world)
        }
    }

    private func leap(_ world: inout TwoClocks, _ dice: inout SplitMix) {
        let distance = (Self.leaps.randomElement(using: &dice) ?? 0) * (Bool.random(using: &dice) ? 1 : -1)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: world.leap(authentication: distance)
        case 1: world.leap(secondFactor: distance)
        // One machine, or one time server.
        default: world.leap(authentication: distance, secondFactor: distance)
        }
    }

    /// A right PIN that was evaluated is proved when no clock leaps in between.
    private func logInUndisturbed(_ world: inout TwoClocks) throws {
        let before = world.counted
        let outcome = world.logIn(isRight: true) { $0.pass(20) }
        switch outcome {
        case .lost, .unanswered, .wrong: throw Violation("a right PIN was counted and not proved: \(outcome)")
        case .told(.clock, _): guard world.counted == before else { throw Violation("CLOCK counted a try") }
        case .loggedIn, .told: break
        }
    }

    /// The clocks are put right, and the person comes some time after that: they get in when the longest penalty, counted from when the clocks were right,
    /// is over at the latest, or after one reset if the tries were really used. Where the clock was ahead by less than four minutes it may be that longer.
    private func comeHome(_ world: inout TwoClocks, after away: UInt64) throws {
        world.putRight()
        world.pass(away)
        var waited: UInt64 = 0
        var resets = 0
        for _ in 0..<8 {
            let spent = world.wrong + world.lost
            switch world.logIn(isRight: true) {
            case .loggedIn: return
            case .told(.penalised, let wait):
                waited += wait
                guard wait > 0, away + waited <= 540 else { throw Violation("a penalty of \(waited) s, \(away) s after the clocks were right") }
                world.pass(wait)
            case .told(.blocked, _):
                guard spent >= 5, resets == 0 else { throw Violation("blocked after \(spent) tries and \(resets) resets") }
                if let last = world.lastReset, world.truth.seconds(since: last) < 86_400 * 12 { world.pass(86_400 * 12) }
                guard world.reset() else { throw Violation("no reset, the last being days ago") }
                resets += 1
            // An answer that was lost by a clock a few seconds ahead: ten seconds of patience by the clock that is right.
            case .told(.busy, _): world.pass(20)
            case let outcome: throw Violation("\(outcome)")
            }
        }
        throw Violation("never got in")
    }
}
