import OstiaryTesting
import Testing

@Suite("What a block is from")
struct BlockCauseTests {
    enum Seen {
        case lost
        case wrong(Int)
        case right
        /// The right PIN, which is no longer taken.
        case refused
        case reset
        /// Nobody knows whether it was.
        case perhapsReset
    }

    /// As the load writes it down.
    private static func tries(_ seen: [Seen]) -> [BoundedCounter.Call] {
        seen.enumerated().flatMap { number, seen -> [BoundedCounter.Call] in
            let moment = Duration.seconds(number)
            func call(_ action: BoundedCounter.Action, _ answer: BoundedCounter.Answer?) -> BoundedCounter.Call {
                ObservedCall("phone", "tries", action, invoked: moment, answer.map { .answered($0, at: moment) } ?? .unknown)
            }
            return switch seen {
            case .lost: [call(.spend, nil), call(.succeed, nil)]
            case .wrong(let count): [call(.spend, .count(count))]
            case .right: [call(.succeed, .done)]
            case .refused: [call(.spend, .refused)]
            case .reset: [call(.reset, .done)]
            case .perhapsReset: [call(.reset, nil)]
            }
        }
    }

    private static let five: [[Seen]] = [
        [.lost, .lost, .lost, .lost, .lost, .refused], [.right, .wrong(1), .lost, .lost, .lost, .lost, .refused],
        [.right, .lost, .lost, .lost, .lost, .lost, .lost], [.lost, .lost, .lost, .perhapsReset, .lost, .lost, .refused],
    ]
    private static let fewer: [[Seen]] = [
        [.refused], [.lost, .lost, .lost, .lost, .refused], [.lost, .lost, .lost, .right, .lost, .lost, .lost, .lost, .refused],
        [.lost, .lost, .lost, .lost, .lost, .refused, .reset, .lost, .refused], [.right, .wrong(1), .wrong(2), .lost, .lost, .refused, .refused],
    ]

    @Test("Five tries that are lost or wrong since a right PIN explain a block, and however many more", arguments: five)
    func explained(_ seen: [Seen]) {
        #expect(BlockCause.mostCounted(in: Self.tries(seen)) >= NodeLoad.mostTries)
        #expect(OrderSearch(BoundedCounter(most: NodeLoad.mostTries)).faults(in: Self.tries(seen)).isEmpty)
    }

    @Test(
        "A block after fewer has no cause: what a right PIN or an operator gave back does not count, and neither does the refusal",
        arguments: fewer)
    func unexplained(_ seen: [Seen]) { #expect(BlockCause.mostCounted(in: Self.tries(seen)) < NodeLoad.mostTries) }

    @Test("In the history of tries a lifted block stands as what it is: the count begins anew with it, and without it does not")
    func lifted() {
        let search = OrderSearch(BoundedCounter(most: NodeLoad.mostTries))
        let blocked = (1...5).map { Seen.wrong($0) } + [.refused]
        #expect(search.faults(in: Self.tries(blocked + [.reset, .wrong(1), .right])).isEmpty)
        #expect(search.faults(in: Self.tries(blocked + [.wrong(1), .right])).count == 1)
        // One is not blocked after four.
        #expect(search.faults(in: Self.tries((1...4).map { Seen.wrong($0) } + [.refused])).count == 1)
    }
}
