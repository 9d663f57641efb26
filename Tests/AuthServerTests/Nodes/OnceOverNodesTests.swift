import Authentication
import Foundation
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Codes that are good once: enrolment codes, and those that a browser brings back from a login page. Three nodes are asked at once while their lines
/// to the database are cut at the very places where it is decided, and some answers nobody hears; an order must explain what all were told. The run of
/// real nodes (`HistoryRunTests`) has them with all other faults.
@Suite(
    "Attack 13: enrolment codes and return codes at several nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(attackMinutes)))
struct OnceOverNodesTests {
    /// Which cuts there are: others in each run; OSTIARY_SEED=n draws those of a run again that has said n.
    private static let seed = ProcessInfo.processInfo.environment["OSTIARY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    private static let rounds = attackRounds(12)
    private static let names = ["A", "B", "C"]

    /// Whoever asked does not know what became of it.
    private struct Unheard: Error {}

    private func world(_ body: @Sendable @escaping (NodesFixture, [CuttingSocket]) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let sockets = try (0..<3).map { _ in try CuttingSocket(to: cluster.folder) }
        try await NodesFixture.run(3, through: sockets) { nodes in try await body(nodes, sockets) }
    }

    private static func recorder<Model: SequentialModel>(of _: Model.Type) -> HistoryRecorder<Model> {
        let start = ContinuousClock.now
        return HistoryRecorder { ContinuousClock.now - start }
    }

    /// Has most lines cut somewhere in what is asked next.
    private static func cut(_ sockets: [CuttingSocket], _ draw: inout SplitMix) {
        for socket in sockets {
            let turn = Int.random(in: 0..<8, using: &draw)
            switch Int.random(in: 0..<5, using: &draw) {
            case 0: socket.cut(.before("COMMIT"))
            case 1: socket.cut(.after("COMMIT"))
            case 2: socket.cut(.beforeTurn(turn))
            case 3: socket.cut(.afterTurn(turn))
            default: break
            }
        }
    }

    private static func expectExplained<Model: SequentialModel>(_ calls: [Model.Call], by model: Model) {
        for fault in OrderSearch(model).faults(in: calls) { Issue.record("OSTIARY_SEED=\(seed): \(fault)") }
        #expect(calls.contains { $0.outcome == .unknown }, "OSTIARY_SEED=\(seed)")
    }

    /// An enrolment code that several phones have read.
    private struct Invitation: Sendable {
        let key: String
        let link: EnrolLink
        let phones: [TestPhone]
        let nodes: NodesFixture
        let recorder: HistoryRecorder<RedeemedOnce>

        func claim(by number: Int, at node: Int, isHeard: Bool = true) async {
            let phone = phones[number]
            await recorder.watch("phone \(number) at \(OnceOverNodesTests.names[node])", key, RedeemedOnce.Action(request: number)) {
                let request = try phone.seal(phone.raw.claim(link).encoded, try TestPhone.ephemeral())
                let (status, body) = try await nodes[node].post(request.bytes)
                guard isHeard, status == .ok else { throw Unheard() }
                switch try request.open(body, from: phone.bundle.operatorKeys, clock: nodes.clock.now).status {
                case .ok: return .given
                case .enrolUsed: return .refused
                default: throw Unheard()
                }
            }
        }
    }

    @Test("A100 three phones with one enrolment code, at nodes whose lines are cut: at most one has it, and whoever asks again hears the same")
    func enrolmentCodes() async throws {
        let recorder = Self.recorder(of: RedeemedOnce.self)
        try await world { nodes, sockets in
            var draw = SplitMix(seed: Self.seed)
            for round in 0..<Self.rounds {
                let link = try await nodes[0].invite(try nodes[0].nonce(), userID: "guest \(round)")
                var phones: [TestPhone] = []
                for number in 0..<3 { phones.append(try await TestPhone(nodes[number])) }
                let invitation = Invitation(key: "enrolment code \(round)", link: link, phones: phones, nodes: nodes, recorder: recorder)
                let unheard = Int.random(in: 0..<6, using: &draw)
                Self.cut(sockets, &draw)
                await withTaskGroup(of: Void.self) { group in
                    // Each at two nodes.
                    for call in 0..<6 {
                        group.addTask { await invitation.claim(by: call % 3, at: (call + call / 3) % 3, isHeard: call != unheard) }
                    }
                }
                for socket in sockets { socket.spare() }
                for number in 0..<3 { await invitation.claim(by: number, at: (number + 2) % 3) }
            }
        }
        Self.expectExplained(recorder.calls, by: RedeemedOnce(isRepeatable: true))
        #expect(Set(recorder.calls.filter { $0.answer == .given }.map(\.key)).count == Self.rounds, "OSTIARY_SEED=\(Self.seed)")
        #expect(Set(recorder.calls.filter { $0.answer == .refused }.map(\.key)).count == Self.rounds, "OSTIARY_SEED=\(Self.seed)")
    }

    /// A browser that comes back, and another that has the same address.
    private struct ComingBack: Sendable {
        let key: String
        let code: ReturnCode
        let own: SessionNonce
        let other: SessionNonce
        let nodes: NodesFixture
        let recorder: HistoryRecorder<HandedInOnce>

        @discardableResult
        func handIn(_ browser: HandedInOnce.Action, at place: Int, isHeard: Bool = true) async -> HandedInOnce.Answer? {
            let (node, nonce) = (nodes[place], browser == .own ? own : other)
            return await recorder.watch("\(browser) browser at \(OnceOverNodesTests.names[place])", key, browser) {
                let answer: HandedInOnce.Answer
                do {
                    let status = try await node.services.sessions.handIn(code, by: nonce, at: node.server, from: .backend, now: node.now)
                    answer = status.loggedIn ? .loggedIn : .refused
                } catch is ReturnCodeWrong { answer = .refused }
                guard isHeard else { throw Unheard() }
                return answer
            }
        }
    }

    /// Somebody has said yes on a login page, whose browser has not come back yet.
    private static func comingBack(
        _ key: String, of phone: EnrolledPhone, _ nodes: NodesFixture, _ recorder: HistoryRecorder<HandedInOnce>
    ) async throws -> ComingBack {
        let (node, own) = (nodes[0], try nodes[0].nonce())
        let sessions = node.services.sessions
        let page = SessionPage(cookieHash: SHA(Array(key.utf8)), returnURL: "https://shop.example/back")
        try await sessions.begin(page, as: .opened, for: own, at: node.server, now: node.now)
        let session = try #require(try await sessions.progress(of: own, at: node.server, now: node.now))
        let login = try await phone.scan(try await sessions.link(to: session, .returning, at: node.now), via: .link).logInByPIN()
        let code = try #require(login.returnCode.flatMap { ReturnCode(text: Base64URL.encode($0)) })
        return ComingBack(key: key, code: code, own: own, other: try node.nonce(), nodes: nodes, recorder: recorder)
    }

    @Test("A100 two browsers with one return code, at nodes whose lines are cut: the other is never in, and where it was first neither is its own")
    func returnCodes() async throws {
        let recorder = Self.recorder(of: HandedInOnce.self)
        try await world { nodes, sockets in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            var draw = SplitMix(seed: Self.seed)
            for round in 0..<Self.rounds {
                nodes.clock.advance(1)
                let back = try await Self.comingBack("return code \(round)", of: phone, nodes, recorder)
                let unheard = Int.random(in: 0..<6, using: &draw)
                Self.cut(sockets, &draw)
                // One of them alone before all, or all at once.
                if round % 3 < 2 { await back.handIn(round % 3 == 0 ? .own : .other, at: Int.random(in: 0..<3, using: &draw)) }
                await withTaskGroup(of: Void.self) { group in
                    for call in 0..<6 {
                        group.addTask { _ = await back.handIn(call < 3 ? .own : .other, at: call % 3, isHeard: call != unheard) }
                    }
                }
                for socket in sockets { socket.spare() }
                for place in 0..<3 {
                    let answer = await back.handIn(.own, at: place)
                    #expect(try await nodes[place].status(of: back.own).loggedIn == (answer == .loggedIn), "OSTIARY_SEED=\(Self.seed)")
                }
            }
        }
        Self.expectExplained(recorder.calls, by: HandedInOnce())
        let own = recorder.calls.filter { $0.action == .own }
        #expect(own.contains { $0.answer == .loggedIn } && own.contains { $0.answer == .refused }, "OSTIARY_SEED=\(Self.seed)")
    }

    @Test("A100 planted: a code that lets its browser in behind another, that lets another in, or that forgets its own, is found")
    func planted() {
        func call(_ browser: HandedInOnce.Action, _ from: Int, _ until: Int, _ answer: HandedInOnce.Answer?) -> HandedInOnce.Call {
            ObservedCall("backend", "code", browser, invoked: .seconds(from), answer.map { .answered($0, at: .seconds(until)) } ?? .unknown)
        }
        let wrong = [
            [call(.other, 0, 1, .refused), call(.own, 2, 3, .loggedIn)], [call(.other, 0, 1, .loggedIn)],
            [call(.own, 0, 1, .loggedIn), call(.other, 2, 3, .refused), call(.own, 4, 5, .refused)], [call(.own, 0, 1, .refused)],
        ]
        for calls in wrong { #expect(OrderSearch(HandedInOnce()).faults(in: calls).count == 1, "\(calls)") }
        // What nobody heard may have been first, and what was asked at once in any order.
        let right = [
            [call(.other, 0, 1, nil), call(.own, 2, 3, .refused)], [call(.other, 0, 1, nil), call(.own, 2, 3, .loggedIn)],
            [call(.other, 0, 3, .refused), call(.own, 2, 4, .loggedIn), call(.own, 5, 6, .loggedIn)],
        ]
        for calls in right { #expect(OrderSearch(HandedInOnce()).faults(in: calls).isEmpty, "\(calls)") }
    }
}
