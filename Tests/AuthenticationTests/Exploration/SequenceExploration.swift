import Authentication
import OstiaryProtocol
import OstiaryTesting

/// Both servers' numbers under every interleaving of attempts, lost messages and one restore of a database: the same rules and the same promise
/// as the Spin model of the sequence.
struct SequenceExploration {
    /// Which rule is left out.
    enum Mutant {
        case none
        /// Answers of an attempt that was replaced are relayed.
        case noOpenAttempt
        /// The answer goes out first, and the commit may get lost.
        case relayBeforeCommit
    }

    /// Which database is put back to an earlier state, once.
    enum Restore {
        case secondFactorServer, authenticationServer
    }

    private static let limit = 2
    private static let most = 6

    /// Where an attempt is on its way.
    private enum Phase: Hashable {
        case resting
        case ticketed(UInt64)
        case answered(UInt64, highest: UInt64, counted: Bool)
        /// The right PIN opened the box, the proof is on its way.
        case proving(UInt64)
    }

    private struct Attempt: Hashable {
        let isRight: Bool
        var rounds: Int
        var phase = Phase.resting
    }

    private struct Numbers: Hashable {
        var highest: UInt64 = 0
        var proven: UInt64 = 0
    }

    private struct World: Hashable {
        var sequence = AttemptSequence()
        var receipt: UInt64 = 0
        var counter = Numbers()
        var attempts: [Attempt]
        /// Wrong tries that were evaluated and relayed, by number.
        var wrong: [UInt64: Int] = [:]
        var success: UInt64 = 0
        var saved: Saved?
        var isRestored = false
    }

    private enum Saved: Hashable {
        case counter(Numbers)
        case sequence(AttemptSequence, receipt: UInt64)
    }

    let mutant: Mutant
    let restore: Restore

    /// Whether more wrong tries than the limit were ever answered after the last success, and how many situations there were.
    func run() async -> (isBroken: Bool, situations: Int) { await onOwnThread { search() } }

    private func search() -> (isBroken: Bool, situations: Int) {
        let first = World(attempts: [Attempt(isRight: false, rounds: 2), Attempt(isRight: false, rounds: 2), Attempt(isRight: true, rounds: 1)])
        var seen: Set<World> = [first]
        var frontier = [first]
        while let world = frontier.popLast() {
            if isBroken(world) { return (true, seen.count) }
            for next in successors(of: world) where seen.insert(next).inserted { frontier.append(next) }
        }
        return (false, seen.count)
    }

    private func isBroken(_ world: World) -> Bool {
        world.wrong.filter { $0.key > world.success }.reduce(0) { $0 + $1.value } > Self.limit
    }

    private func successors(of world: World) -> [World] {
        world.attempts.indices.flatMap { moves(of: $0, in: world) } + restores(of: world)
    }

    private func moves(of index: Int, in world: World) -> [World] {
        switch world.attempts[index].phase {
        case .resting: begin(index, in: world)
        case .ticketed(let number): [ask(index, number, in: world), rest(index, in: world)]
        case .answered(let number, let highest, let counted): settle(index, number, highest, counted, in: world) + [rest(index, in: world)]
        case .proving(let number): [prove(index, number, in: world), rest(index, in: world)]
        }
    }

    private func rest(_ index: Int, in world: World) -> World {
        var world = world
        world.attempts[index].phase = .resting
        return world
    }

    /// Ten seconds have always passed, so that any attempt may replace any other.
    private func begin(_ index: Int, in world: World) -> [World] {
        guard world.attempts[index].rounds > 0, world.sequence.last < Self.most, world.counter.highest < Self.most else { return [] }
        var world = world
        world.attempts[index].rounds -= 1
        world.sequence = world.sequence.aged
        guard let number = try? world.sequence.reserve(Self.id(index, world), blindedHash: [], at: Instant(AttemptSequence.patience)) else {
            return []
        }
        world.sequence = world.sequence.aged
        world.attempts[index].phase = .ticketed(number)
        return [world]
    }

    private static func id(_ index: Int, _ world: World) -> AttemptID {
        AttemptID([UInt8(index), UInt8(world.attempts[index].rounds)] + [UInt8](repeating: 0, count: 14))!
    }

    /// The second-factor server's rules, with the receipt that came along.
    private func ask(_ index: Int, _ number: UInt64, in world: World) -> World {
        var world = world
        let proven = max(world.counter.proven, world.receipt)
        let highest = max(world.counter.highest, proven)
        if number <= highest {
            world.attempts[index].phase = .answered(number, highest: highest, counted: false)
        } else if number - 1 - proven < UInt64(Self.limit) {
            world.counter = Numbers(highest: number, proven: proven)
            world.attempts[index].phase = .answered(number, highest: number, counted: true)
        } else {
            world.attempts[index].phase = .resting
        }
        return world
    }

    private func settle(_ index: Int, _ number: UInt64, _ highest: UInt64, _ counted: Bool, in world: World) -> [World] {
        var settled = world
        let isOpen = (try? settled.sequence.settle(Self.id(index, world), highest: highest, evaluated: counted)) ?? false
        switch mutant {
        case .none: return isOpen ? [relay(index, number, counted, in: settled)] : [rest(index, in: world)]
        case .noOpenAttempt:
            if !isOpen { settled.sequence = AttemptSequence(last: max(world.sequence.last, highest), open: world.sequence.open) }
            return [relay(index, number, counted, in: settled)]
        case .relayBeforeCommit:
            return isOpen ? [relay(index, number, counted, in: settled), relay(index, number, counted, in: world)] : [rest(index, in: world)]
        }
    }

    private func relay(_ index: Int, _ number: UInt64, _ counted: Bool, in world: World) -> World {
        var world = rest(index, in: world)
        guard counted else { return world }
        if world.attempts[index].isRight {
            world.attempts[index].phase = .proving(number)
        } else {
            world.wrong[number, default: 0] += 1
        }
        return world
    }

    private func prove(_ index: Int, _ number: UInt64, in world: World) -> World {
        var world = rest(index, in: world)
        world.counter.proven = max(world.counter.proven, number)
        world.receipt = max(world.receipt, number)
        world.success = max(world.success, number)
        return world
    }

    private func restores(of world: World) -> [World] {
        guard !world.isRestored else { return [] }
        var next = world
        switch (restore, world.saved) {
        case (.secondFactorServer, nil): next.saved = .counter(world.counter)
        case (.authenticationServer, nil): next.saved = .sequence(world.sequence, receipt: world.receipt)
        case (_, .counter(let numbers)):
            next.counter = numbers
            next.isRestored = true
        case (_, .sequence(let sequence, let receipt)):
            next.sequence = AttemptSequence(last: sequence.last, relayed: sequence.relayed)
            next.receipt = receipt
            next.isRestored = true
        }
        return [next]
    }
}

extension AttemptSequence {
    /// The same with the open attempt at the beginning of time, so that time does not multiply situations.
    fileprivate var aged: AttemptSequence {
        AttemptSequence(
            last: last, open: open.map { OpenAttempt(attempt: $0.attempt, blindedHash: $0.blindedHash, since: Instant(0)) }, relayed: relayed)
    }
}
