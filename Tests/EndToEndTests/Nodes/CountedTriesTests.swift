import Testing

@Suite("Tries as the second-factor server's rows have them")
struct CountedTriesTests {
    private static func row(highest: Int, proven: Int = 0, attempts: [Int]) -> CountedTries.Row {
        var row = CountedTries.Row(instance: "one", highest: highest, proven: proven)
        for number in attempts { row.attempts[[UInt8(number)]] = number }
        return row
    }

    @Test("As many evaluations as tries are right, also where older rows are gone and where a success or an operator gave the tries back")
    func right() {
        var tries = CountedTries(most: 5)
        #expect(tries.note(Self.row(highest: 5, attempts: [1, 2, 3, 4, 5])).isEmpty)
        #expect(tries.note(Self.row(highest: 9, proven: 5, attempts: [4, 5, 6, 9])).isEmpty)
        #expect(tries.note(Self.row(highest: 10, proven: 5, attempts: [10])).isEmpty)
        #expect(tries.evaluations == 8)
    }

    @Test("One evaluation more than there are tries is found, also by who saw some of them before")
    func more() {
        var tries = CountedTries(most: 5)
        #expect(tries.note(Self.row(highest: 6, attempts: [1, 2, 3, 4, 5, 6])).count == 1)
        tries = CountedTries(most: 5)
        #expect(tries.note(Self.row(highest: 3, attempts: [1, 2, 3])).isEmpty)
        #expect(tries.note(Self.row(highest: 6, attempts: [4, 5, 6])).count == 1)
    }

    @Test("A number that was given to two attempts is found, and an evaluation that nobody counted, as after a crash that took what was counted")
    func lost() {
        var tries = CountedTries(most: 5)
        #expect(tries.note(Self.row(highest: 1, attempts: [1])).isEmpty)
        var again = CountedTries.Row(instance: "one", highest: 1, proven: 0)
        again.attempts[[77]] = 1
        #expect(tries.note(again).count == 1)
        #expect(tries.note(Self.row(highest: 1, attempts: [2])).count == 1)
        // Another instance has numbers of its own.
        #expect(tries.note(CountedTries.Row(instance: "other", highest: 1, proven: 0, attempts: [[77]: 1])).isEmpty)
    }
}
