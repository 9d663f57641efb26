import Foundation
import OstiaryMobile
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

// What happens at three nodes while they are cut off, halted and killed: people with phones, backends, clients of the provider and an API behind it. What they
// do stands in extensions by whom it is about; what they saw in NodeHistories. Start reading with `round(_:of:_:)`.

/// People who log in at three nodes and are logged out again, who let clients do things and change their PINs, and all who ask about that meanwhile.
final class NodeLoad: Sendable {
    static let mostTries = 5

    let histories = NodeHistories()
    let fixture: NodesFixture
    let backend: DemoBackend
    let residents: [NodeResident]
    /// With which the API asks about tokens.
    let secret: String
    /// Of those who count tries, by person.
    let books = Mutex<[String: TryBook]>([:])
    /// Of PINs that are set and entered.
    let pinBooks = Mutex(PINBooks())
    /// Evaluations, by the rows of the second-factor server.
    let counted = Mutex(CountedTries(most: NodeLoad.mostTries))
    /// Of enrolment codes and return codes.
    let codeBook = CodeBook()
    /// To each node.
    let ways: [PinnedTransport]
    /// A token of each grant that was ever given.
    let tokens = Mutex<[String: String]>([:])
    /// Codes of `/authorize`, by what was done with them.
    let authorized = Mutex<[CodeCourse: Set<String>]>([:])
    private let things = Mutex(0)
    private let broken = Mutex(false)

    /// Enrols everybody, and registers the clients.
    init(_ fixture: NodesFixture, people: [String], seed: UInt64) async throws {
        self.fixture = fixture
        ways = fixture.nodes.map { PinnedTransport(to: $0) }
        backend = try await DemoBackend(fixture.layout)
        try await backend.updateServer(#"{"serverFlags":["ENABLE_OTP"]}"#)
        secret = try await TokenCaller.register(backend)
        try await TokenCaller.registerSites(backend)
        var residents: [NodeResident] = []
        for (number, name) in people.enumerated() {
            residents.append(try await NodeResident(backend, name, in: fixture, seed: seed &* 31 &+ UInt64(number)))
        }
        self.residents = residents
    }

    /// Since the run began.
    func now() -> Duration { histories.now() }

    /// Whether something is broken just now.
    var isBroken: Bool { broken.withLock { $0 } }
    func note(isBroken: Bool) { broken.withLock { $0 = isBroken } }

    /// Everybody does one thing after the other.
    func run(for length: Duration, seed: UInt64) async {
        let deadline = now() + length
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchCounters(until: deadline) }
            group.addTask { await self.inviteGuests(until: deadline, seed: seed) }
            for number in residents.indices { group.addTask { await self.live(as: number, until: deadline, seed: seed) } }
        }
    }

    /// Whether there is time left, and nobody wants an end.
    func goesOn(until deadline: Duration) -> Bool { now() < deadline && !Soak.isToEnd && !Task.isCancelled }

    /// First what a run has to have heard, then each kind in turn, in an order of the seed's.
    private func live(as number: Int, until deadline: Duration, seed: UInt64) async {
        let resident = residents[number]
        var random = SplitMix(seed: seed &* 31 &+ UInt64(number))
        var firsts = Self.firsts(of: number)
        var left: [Kind] = []
        while goesOn(until: deadline) {
            guard await isAble(resident) else { continue }
            while let first = firsts.first, isHeard(first) { firsts.removeFirst() }
            if left.isEmpty { left = (Kind.allCases + [.login, .tokens]).shuffled(using: &random) }
            let kind: Kind = resident.isInDoubt ? .login : firsts.isEmpty ? left.removeLast() : firsts.removeFirst()
            await round(kind, of: resident, &random)
        }
    }

    enum Kind: CaseIterable { case login, offlineCode, app, tokens, authorization, pin, returning }

    struct NotLoggedIn: Error {}

    /// What fails because of a fault is in the histories as what nobody knows, and the next round begins.
    private func round(_ kind: Kind, of resident: NodeResident, _ random: inout SplitMix) async {
        do {
            switch kind {
            case .login: try await loginRound(of: resident, &random)
            case .offlineCode: try await offlineRound(of: resident, &random)
            case .app: try await appRound(of: resident, &random)
            case .tokens: try await tokenRound(of: resident, &random)
            case .authorization: try await authorizationRound(of: resident, &random)
            case .pin: try await pinRound(of: resident, &random)
            case .returning: try await returnRound(of: resident, &random)
            }
        } catch { try? await Task.sleep(for: .milliseconds(100)) }
    }

    /// A name for something of somebody's, which nothing else has.
    func newName(_ thing: String, of resident: NodeResident) -> String {
        let number = things.withLock { count in
            count += 1
            return count
        }
        return "\(resident.name)’s \(thing) \(number)"
    }

    func backends(_ random: inout SplitMix) -> [NodeCaller] {
        fixture.nodes.shuffled(using: &random).enumerated().map { NodeCaller($0, at: $1, fixture, serverID: backend.serverID) }
    }

    func clients(_ random: inout SplitMix) -> [TokenCaller] {
        fixture.nodes.shuffled(using: &random).enumerated().map { TokenCaller($0, at: $1, secret: secret) }
    }

    /// All ask again and again while something is stopped, and go on asking.
    func watch(_ random: inout SplitMix, _ asks: [@Sendable () async -> Void], stop: @escaping @Sendable () async -> Void) async {
        let wait = Duration.milliseconds(Int.random(in: 0...500, using: &random))
        let end = now() + .milliseconds(1_200)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: wait)
                await stop()
            }
            for ask in asks {
                group.addTask {
                    repeat {
                        await ask()
                        try? await Task.sleep(for: .milliseconds(30))
                    } while self.goesOn(until: end)
                }
            }
        }
    }

    /// When all is well again every node is asked once more for every session that was ever begun, and for every grant.
    func readAll() async {
        let nodes = fixture.nodes.enumerated()
        let backends = nodes.map { NodeCaller($0, at: $1, fixture, serverID: backend.serverID) }
        for nonce in Set(histories.sessions.calls.map(\.key)).sorted() {
            for caller in backends { await read(nonce, by: caller) }
        }
        let clients = nodes.map { TokenCaller($0, at: $1, secret: secret) }
        for (grant, token) in tokens.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            for caller in clients { await read(token, grant, by: caller) }
        }
    }

    /// What one call says of several things at once.
    /// - Parameter body: what it throws leaves it unknown what became of the call.
    /// - Returns: whether it was acknowledged.
    @discardableResult
    func stop(session: String? = nil, grants: [String] = [], by caller: String, _ body: () async throws -> Void) async -> Bool {
        let invoked = now()
        let outcome: AliveUntilStopped.Call.Outcome
        do {
            try await body()
            outcome = .answered(.over, at: now())
        } catch { outcome = .unknown }
        if let session { histories.sessions.note(ObservedCall(caller, session, .stop, invoked: invoked, outcome)) }
        for grant in grants { histories.grants.note(ObservedCall(caller, grant, .stop, invoked: invoked, outcome)) }
        return outcome != .unknown
    }
}
