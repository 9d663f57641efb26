import Foundation
import OstiaryMobile
import OstiaryTesting
import Synchronization
import Testing

@testable import ostiary

/// People who log in at three nodes and are logged out again, backends that ask meanwhile, and what all of them saw.
final class NodeLoad: Sendable {
    struct Resident: Sendable {
        let person: Person
        let phone: FixturePhone
    }

    static let mostTries = 5

    let sessions: HistoryRecorder<AliveUntilStopped>
    let codes: HistoryRecorder<RedeemedOnce>
    let tries: HistoryRecorder<BoundedCounter>
    private let fixture: NodesFixture
    private let backend: DemoBackend
    private let residents: [Resident]
    let now: @Sendable () -> Duration
    private let books = Mutex<[String: Book]>([:])

    /// Where a person's tries are written down: in a new book when so many of the old one are open that the search for an order would take long.
    private struct Book {
        var number = 0
        var unknown = 0
    }

    /// Enrols everybody.
    init(_ fixture: NodesFixture, people: [String]) async throws {
        let start = ContinuousClock.now
        let now: @Sendable () -> Duration = { ContinuousClock.now - start }
        self.now = now
        (sessions, codes, tries) = (HistoryRecorder(now: now), HistoryRecorder(now: now), HistoryRecorder(now: now))
        self.fixture = fixture
        backend = try await DemoBackend(fixture.layout)
        try await backend.updateServer(#"{"serverFlags":["ENABLE_OTP"]}"#)
        var residents: [Resident] = []
        for name in people {
            let person = Person(backend, TerminalPhone(home: fixture.folder.file(name)), user: name)
            try await person.enrol(in: fixture.folder)
            residents.append(Resident(person: person, phone: try FixturePhone.onNetwork(in: person.phone.home)))
        }
        self.residents = residents
    }

    /// Everybody logs in again and again.
    func run(for length: Duration, seed: UInt64) async {
        let deadline = now() + length
        await withTaskGroup(of: Void.self) { group in
            for (number, resident) in residents.enumerated() {
                group.addTask {
                    var random = SplitMix(seed: seed &* 31 &+ UInt64(number))
                    while self.now() < deadline { await self.round(of: resident, &random) }
                }
            }
        }
    }

    /// What fails because of a fault is in the histories as what nobody knows, and the next round begins.
    private func round(of resident: Resident, _ random: inout SplitMix) async {
        do {
            let nonce = ManagementClient.newNonce()
            let isOffline = Int.random(in: 0..<5, using: &random) == 0
            if isOffline {
                guard try await redeemCode(nonce, resident) else { return }
                await follow(nonce, of: nil, resident, seed: random.next())
            } else if let session = try await logIn(nonce, resident, isWrong: Bool.random(using: &random)) {
                await follow(nonce, of: session, resident, seed: random.next())
            }
        } catch { try? await Task.sleep(for: .milliseconds(100)) }
    }

    private func callers(_ random: inout SplitMix) -> [NodeCaller] {
        fixture.nodes.shuffled(using: &random).enumerated().map { NodeCaller($0, at: $1, fixture, serverID: backend.serverID) }
    }

    private struct NotLoggedIn: Error {}

    /// - Returns: what the phone has of it; nil where nobody knows whether it is logged in.
    private func logIn(_ nonce: String, _ resident: Resident, isWrong: Bool) async throws -> Session? {
        let code = try await backend.loginCode(nonce, asPNG: false)
        let pins = (isWrong ? [Person.wrongPINs[0]] : []) + [Person.pin, Person.pin, Person.pin]
        let name = resident.person.user
        let begun = Mutex<Session?>(nil)
        await sessions.watch(name, nonce, .begin) {
            let (end, answers) = try await resident.phone.follow(code, pins: pins)
            for answer in answers { self.note(answer, of: name) }
            guard let session = end.session else { throw NotLoggedIn() }
            begun.withLock { $0 = session }
            return .alive
        }
        return begun.withLock { $0 }
    }

    /// Of one phone, whose tries come one after the other. What has no result may have been counted, or been a success that nobody heard of.
    private func note(_ info: SecondFactorInfo, of name: String) {
        switch info.result {
        case .success: note(.succeed, .done, of: name)
        case .failed: note(.spend, .count(info.failedAttempts), of: name)
        default:
            note(.spend, nil, of: name)
            note(.succeed, nil, of: name)
        }
    }

    private func note(_ action: BoundedCounter.Action, _ answer: BoundedCounter.Answer?, of name: String) {
        let moment = now()
        let (number, isNew) = books.withLock { books in
            let isNew = books[name, default: Book()].unknown > 20
            if isNew { books[name] = Book(number: books[name, default: Book()].number + 1) }
            if answer == nil { books[name, default: Book()].unknown += 1 }
            return (books[name, default: Book()].number, isNew)
        }
        let (caller, key) = ("\(name)’s phone", "\(name)’s tries \(number)")
        // Nobody knows how many the old book would have counted.
        if isNew { for _ in 0..<Self.mostTries { tries.note(ObservedCall(caller, key, .spend, invoked: moment, .unknown)) } }
        tries.note(ObservedCall(caller, key, action, invoked: moment, answer.map { .answered($0, at: moment) } ?? .unknown))
    }

    /// A phone without a network shows a code, and three hand it in at three nodes at once.
    private func redeemCode(_ nonce: String, _ resident: Resident) async throws -> Bool {
        let file = try await resident.person.loginCode(nonce, in: fixture.folder)
        let shown = try await resident.person.phone.run(["otp", file])
        guard let code = shown.event("otp")?["code"]?.string else { throw NotLoggedIn() }
        let answer = await sessions.watch(resident.person.user, nonce, .begin) {
            let isGiven = await withTaskGroup(of: RedeemedOnce.Answer?.self) { group in
                for (number, node) in self.fixture.nodes.enumerated() {
                    let caller = NodeCaller(number, at: node, self.fixture, serverID: self.backend.serverID)
                    group.addTask {
                        await self.codes.watch(caller.name, nonce, RedeemedOnce.Action(request: number)) {
                            try await caller.redeem(code, for: nonce) ? .given : .refused
                        }
                    }
                }
                return await group.contains(.given)
            }
            guard isGiven else { throw NotLoggedIn() }
            return .alive
        }
        return answer != nil
    }

    /// Backends ask at all nodes while the session is stopped at one of them, and go on asking.
    /// - Parameter session: what the phone has of it, which may end it too.
    private func follow(_ nonce: String, of session: Session?, _ resident: Resident, seed: UInt64) async {
        var random = SplitMix(seed: seed)
        let callers = callers(&random)
        let stopper = callers[Int.random(in: 0..<callers.count, using: &random)]
        let wait = Duration.milliseconds(Int.random(in: 0...500, using: &random))
        let own = Bool.random(using: &random) ? session : nil
        let end = now() + .milliseconds(1_200)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: wait)
                await self.sessions.watch(own == nil ? stopper.name : resident.person.user, nonce, .stop) {
                    if let own { try await resident.phone.ostiary.end(own) } else { try await stopper.logOut(nonce) }
                    return .over
                }
            }
            for caller in callers {
                group.addTask {
                    repeat {
                        await self.read(nonce, by: caller)
                        try? await Task.sleep(for: .milliseconds(30))
                    } while self.now() < end
                }
            }
        }
    }

    private func read(_ nonce: String, by caller: NodeCaller) async {
        await sessions.watch(caller.name, nonce, .read) { try await caller.isLoggedIn(nonce) ? .alive : .over }
    }

    /// When all is well again every node is asked once more for every session that was ever begun.
    func readAll() async {
        let callers = fixture.nodes.enumerated().map { NodeCaller($0, at: $1, fixture, serverID: backend.serverID) }
        for nonce in Set(sessions.calls.map(\.key)).sorted() {
            for caller in callers { await read(nonce, by: caller) }
        }
    }

    /// And everybody's PIN is good: what was cut off last may be told once more, as something that went wrong on the way, but no try is gone for it.
    func logInAll() async throws {
        for resident in residents {
            let code = try await backend.loginCode(ManagementClient.newNonce(), asPNG: false)
            let (end, answers) = try await resident.phone.follow(code, pins: [Person.pin, Person.pin, Person.pin])
            let results = answers.map(\.result)
            let isGood = results.last == .success && results.dropLast().allSatisfy { $0 == .error }
            #expect(end.session != nil && isGood, "\(resident.person.user): \(end) \(answers)")
        }
    }
}
