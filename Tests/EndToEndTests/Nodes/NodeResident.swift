import OstiaryMobile
import OstiaryTesting
import Synchronization

@testable import OstiaryPhone

/// Somebody who logs in again and again, with a phone on whose way answers get lost, and who changes the PIN now and then.
final class NodeResident: Sendable {
    /// By their numbers; the last one is never anybody's.
    static let pins = [Person.pin, Person.wrongPINs[1], Person.wrongPINs[2], Person.wrongPINs[0]]
    static let nobodys = pins.count - 1

    let person: Person
    let phone: FixturePhone
    let line: LossyTransport
    private let known = Mutex(Known())

    private struct Known {
        /// Numbers of the PINs of which one is good: two after a change that nobody was told the end of.
        var candidates = [0]
        /// What such a change, which may still be on its way, would make good.
        var late: [Int] = []
        /// Whether the last PIN was right, so that there are tries to spare.
        var isFresh = true
    }

    init(_ backend: DemoBackend, _ name: String, in fixture: NodesFixture, seed: UInt64) async throws {
        person = Person(backend, TerminalPhone(home: fixture.folder.file(name)), user: name)
        try await person.enrol(in: fixture.folder)
        line = LossyTransport(seed: seed)
        phone = try FixturePhone.onNetwork(in: person.phone.home, transport: line, bindsTokens: true)
    }

    var name: String { person.user }
    /// What may be good, the likeliest first.
    var candidates: [Int] { known.withLock { $0.candidates + $0.late } }
    var isInDoubt: Bool { known.withLock { $0.candidates.count != 1 } }
    /// Whether a wrong PIN may be entered without the fear that it is the last.
    var mayErr: Bool { known.withLock { $0.isFresh && $0.candidates.count == 1 } }

    func noteTry() { known.withLock { $0.isFresh = false } }

    func note(right number: Int) {
        known.withLock { known in
            let late = Set(known.candidates + known.late).subtracting([number]).sorted()
            known = Known(candidates: [number], late: late)
        }
    }

    func note(wrong number: Int) {
        known.withLock { known in
            known.candidates.removeAll { $0 == number }
            // It may have come about meanwhile.
            if known.candidates.isEmpty { (known.candidates, known.late) = (known.late, [number]) }
        }
    }

    /// The PIN was changed to this one; where nobody knows, it may have been.
    func note(_ change: FixturePhone.Change, to number: Int) {
        known.withLock { known in
            switch change {
            // Whatever was on its way is of an epoch that is over.
            case .done: (known.candidates, known.late) = ([number], [])
            case .unknown: if !known.candidates.contains(number) { known.candidates.append(number) }
            case .notBegun: break
            }
        }
    }
}

/// The PINs that somebody enters while one question is open, each until it is known to be wrong.
final class EnteredPINs {
    private let resident: NodeResident
    private var mayErr: Bool
    /// Their numbers, in the order in which they were entered.
    private(set) var numbers: [Int] = []
    private var wrong: Set<Int> = []

    init(_ resident: NodeResident, isWrong: Bool) {
        self.resident = resident
        mayErr = isWrong && resident.mayErr
    }

    /// - Parameter info: what came of the last.
    /// - Returns: nil when enough was tried.
    func next(_ info: SecondFactorInfo) -> String? {
        guard numbers.count < 6, !info.blocked else { return nil }
        if mayErr {
            mayErr = false
            numbers.append(NodeResident.nobodys)
            return NodeResident.pins[NodeResident.nobodys]
        }
        // What was wrong is not entered again; what nobody looked at is.
        if info.result == .failed, let last = numbers.last { wrong.insert(last) }
        guard let number = resident.candidates.first(where: { !wrong.contains($0) }) else { return nil }
        numbers.append(number)
        return NodeResident.pins[number]
    }
}
