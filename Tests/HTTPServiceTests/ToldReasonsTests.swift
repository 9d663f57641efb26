import HTTPService
import Testing

@Suite("What the log says of something that fails")
struct ToldReasonsTests {
    /// A letter for each reason, a dash where nothing fails.
    private struct Turns {
        private var reasons = ToldReasons()
        private var now = ContinuousClock.now

        /// - Parameter seconds: from one turn to the next.
        /// - Returns: those that are told.
        mutating func told(_ turns: String, every seconds: Int = 10) -> String {
            turns.filter { turn in
                defer { now += .seconds(seconds) }
                return turn == "-" ? reasons.end() : reasons.note(String(turn), at: now)
            }
        }
    }

    @Test("What fails now for this and now for that says each once, until it passes; and is then news again")
    func flapping() {
        var turns = Turns()
        #expect(turns.told("ababca-a", every: 60) == "abc-a")
    }

    @Test("However many reasons there are, sixteen are told in one failing, and as many in the next")
    func many() {
        var turns = Turns()
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
        for _ in 0..<2 { #expect(turns.told("\(letters)-", every: 60) == "abcdefghijklmnop-") }
    }

    @Test("What goes up and down is told at once, with its end, and the same once a minute; another reason at once, with the end of that")
    func upAndDown() {
        var turns = Turns()
        // From 0 s to 60 s, and to 80 s.
        #expect(turns.told("a-a-a-") == "a-")
        #expect(turns.told("a-") == "a-")
        #expect(turns.told("a-ab-") == "b-")
        var others = Turns()
        #expect(others.told("a-a-b-ba--a-") == "a-b-a-")
    }

    @Test("What still fails when the minute is over is told then, once")
    func lasts() {
        var turns = Turns()
        #expect(turns.told("a-aaaaaaaa-") == "a-a-")
    }

    @Test("In ten minutes of two reasons in turn there are ten lines of each, and as many ends")
    func long() {
        var turns = Turns()
        #expect(turns.told(String(repeating: "-a-b", count: 75), every: 2).count == 40)
    }
}
