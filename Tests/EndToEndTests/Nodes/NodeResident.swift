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
    let account: String
    /// The nonce of the browser that the enrolment has logged in.
    let enrolment: String
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
        /// Questions in a row that no right PIN ended.
        var vain = 0
        /// Whether the servers take no PIN any more.
        var isBlocked = false
    }

    init(_ backend: DemoBackend, _ name: String, in fixture: NodesFixture, seed: UInt64) async throws {
        person = Person(backend, TerminalPhone(home: fixture.folder.file(name)), user: name)
        enrolment = try await person.enrol(in: fixture.folder).nonce
        account = try await backend.account(ofUser: name)
        line = LossyTransport(seed: seed)
        phone = try FixturePhone.onNetwork(in: person.phone.home, transport: line, bindsTokens: true)
    }

    var name: String { person.user }
    /// Who tries, in what is seen of tries.
    var caller: String { "\(name)’s phone" }
    /// What may be good, the likeliest first.
    var candidates: [Int] { known.withLock { $0.candidates + $0.late } }
    var isInDoubt: Bool { known.withLock { $0.candidates.count != 1 } }
    /// Whether a wrong PIN may be entered without the fear that it is the last.
    var mayErr: Bool { known.withLock { $0.isFresh && $0.candidates.count == 1 } }

    var isBlocked: Bool { known.withLock { $0.isBlocked } }
    /// Whether the last tries are better kept until nothing is broken: a right PIN that nobody hears the answer to costs one too.
    var mustRest: Bool { known.withLock { $0.vain >= 3 } }

    func noteTry() { known.withLock { $0.isFresh = false } }

    func note(right number: Int) {
        known.withLock { known in
            let late = Set(known.candidates + known.late).subtracting([number]).sorted()
            known = Known(candidates: [number], late: late)
        }
    }

    /// A question ended without a right PIN.
    func noteVain() { known.withLock { $0.vain += 1 } }
    func noteBlock() { known.withLock { $0.isBlocked = true } }
    /// All tries are there again, and none was right yet.
    func noteReset() { known.withLock { ($0.isBlocked, $0.vain) = (false, 0) } }

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

    /// A phone that was told of a block goes on saying so until a PIN was right: whether it is still there, the servers say.
    /// - Parameter info: what came of the last.
    /// - Returns: nil when enough was tried.
    func next(_ info: SecondFactorInfo) -> String? {
        guard numbers.count < 6 else { return nil }
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
