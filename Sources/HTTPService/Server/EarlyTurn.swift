import NIOHTTP1

/// The turn of a connection whose requests are answered where they are parsed (docs/decisions/0057): how much it was answered, and what came behind that. What
/// came waits, in its order, until others had their turn and the other end takes more.
struct EarlyTurn {
    enum Waiting {
        case bytes(FirstByte.Came)
        case part(HTTPServerRequestPart)
        /// The other end has closed its half.
        case end
        case error(any Error)
        /// There is no more of what was read at once.
        case complete
    }

    /// Bytes of answers behind which others have their turn.
    private static let most = 65_536
    /// What may wait: some thousand requests. One read brings a hundred of getSession; of a client that closes its half the system brings all at once.
    private static let room = 2048

    /// Bytes of answers in this one.
    private(set) var given = 0
    private var waiting: [Waiting] = []
    /// Of the next that waits.
    private var place = 0
    /// The next turn has not begun.
    private(set) var isOver = false
    /// Something waits: whatever comes goes behind it.
    private(set) var isHolding = false

    /// Whether one more may be answered.
    var hasRoom: Bool { given < Self.most }

    mutating func give(_ bytes: Int) { given += bytes }

    /// It is over before a part, which is the first to wait or was just taken from those that do.
    mutating func end(before part: HTTPServerRequestPart) {
        isOver = true
        if isHolding {
            place -= 1
        } else {
            isHolding = true
            waiting.append(.part(part))
        }
    }

    /// Another begins; with what waits, if something does.
    mutating func begin() { (given, isOver) = (0, false) }

    /// - Returns: whether there is room for it.
    mutating func hold(_ next: Waiting) -> Bool {
        waiting.append(next)
        return waiting.count - place <= Self.room
    }

    /// What has waited longest; nil when nothing does any more, or the turn is over again.
    mutating func next() -> Waiting? {
        guard !isOver else { return nil }
        guard place < waiting.count else {
            forget()
            return nil
        }
        defer { place += 1 }
        return waiting[place]
    }

    /// Nothing waits any more.
    mutating func forget() { (given, waiting, place, isHolding, isOver) = (0, [], 0, false, false) }
}
