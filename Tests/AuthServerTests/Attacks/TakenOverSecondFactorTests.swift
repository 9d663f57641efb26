import Authentication
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

/// The second-factor server has its true key and answers of its own choice (threat A103). What it says of counts, blocks and closed instances is its word,
/// and is taken; for a login there have to be the signatures of a phone.
@Suite("A second-factor server that was taken over, and signs answers of its own", .timeLimit(.minutes(10)))
struct TakenOverSecondFactorTests {
    @Test("A103 What it signed for another account, server, context or login logs nobody in, and the right answer counts after it")
    func others() async throws {
        try await TakenOverHouse.run { house in
            let heard = Mutex<[SecondFactorAnswer]>([])
            house.liar.bend { truth in
                heard.withLock { $0.append(truth) }
                return truth
            }
            try await house.expectLogin(of: house.bob, "Bob, recorded")
            try await house.expectLogin(of: house.alice, "Alice, recorded")
            house.liar.tellTheTruth()
            let said = heard.withLock { $0 }
            let (bobs, hers) = (try #require(said.first { $0.receipt != nil }), try #require(said.last { $0.receipt != nil }))

            let (nonce, login) = try await house.shown(house.alice)
            let attempt = try login.attempt()
            for other in said {
                house.liar.lie(about: house.alice.phone.instance) { _ in other }
                #expect(try await house.told(attempt, by: house.alice).status == .secondFactorUnavailable)
            }
            house.liar.tellTheTruth()
            #expect(try await house.told(attempt, by: house.alice).status == .ok)
            let decision = try house.decision(attempt, of: login)
            for (name, status, answer) in Self.ofOthers(bobs, hers, by: house) {
                house.liar.lie(about: house.alice.phone.instance) { call in
                    guard case .proof(let proof) = call else { return nil }
                    return answer(proof)
                }
                #expect(await house.servers.refusal { try await login.send(decision) } == status, "\(name)")
                #expect(!(try await house.isLoggedIn(nonce)), "\(name)")
                try await house.expectLogin(of: house.bob, "Bob, beside \(name)")
            }
            house.liar.tellTheTruth()
            #expect(try await login.send(decision).result == .loggedIn)
            #expect(try await house.isLoggedIn(nonce))
        }
    }

    private typealias Bent = @Sendable (Proof) -> SecondFactorAnswer

    /// Answers to a proof that are signed rightly and are about something else.
    private static func ofOthers(
        _ bobs: SecondFactorAnswer, _ hers: SecondFactorAnswer, by house: TakenOverHouse
    ) -> [(String, Status, Bent)] {
        let (liar, now, key) = (house.liar, house.servers.now, house.alice.phone.raw.secondFactorPublicKey)
        let number = (hers.receipt?.value.sequence ?? 0) + 1
        let vouched: @Sendable (Proof, Proof) -> SecondFactorAnswer = { proof, other in
            .said(
                .ok, of: proof.attemptID, highest: number,
                receipt: liar.receipt(for: other, number: number, secondFactorKey: key, at: now))
        }
        return [
            ("the answer to another person", .secondFactorUnavailable, { _ in bobs }),
            ("another person's receipt", .refused, { bobs.changed(attempt: $0.attemptID) }),
            ("the answer to an earlier login", .secondFactorUnavailable, { _ in hers }),
            ("the receipt of an earlier login", .refused, { hers.changed(attempt: $0.attemptID) }),
            ("a receipt for another server", .refused, { vouched($0, $0.but(server: ServerID(using: SystemRandomSource()))) }),
            ("a receipt for another phone", .refused, { vouched($0, $0.but(instance: house.bob.phone.instance)) }),
            ("a receipt for an enrolment", .refused, { vouched($0, $0.but(context: .enrol)) }),
            ("a receipt for another login", .refused, { vouched($0, $0.but(sessionHash: [UInt8](repeating: 0, count: 32))) }),
        ]
    }

    @Test("A103 One new answer that is given to two logins at once is good for the one that it names, and the other logs in with its own")
    func oneForTwo() async throws {
        try await TakenOverHouse.run { house in
            let first = try await house.shown(house.alice)
            let second = try await house.shown(house.bob)
            let one = try await Self.evaluated(first.login, house)
            let other = try await Self.evaluated(second.login, house)
            let only = Mutex<SecondFactorAnswer?>(nil)
            house.liar.bend { truth in
                only.withLock { said in
                    let answer = said ?? truth
                    said = answer
                    return answer
                }
            }
            async let toOne = house.servers.refusal { try await first.login.send(one) }
            async let toOther = house.servers.refusal { try await second.login.send(other) }
            let refusals = await [toOne, toOther]
            #expect(refusals.filter { $0 == nil }.count == 1, "\(refusals)")
            #expect(refusals.filter { $0 == .secondFactorUnavailable }.count == 1, "\(refusals)")
            let loggedIn = [try await house.isLoggedIn(first.nonce), try await house.isLoggedIn(second.nonce)]
            #expect(loggedIn == refusals.map { $0 == nil })
            house.liar.tellTheTruth()
            for (login, decision) in [(first.login, one), (second.login, other)] { #expect(try await login.send(decision).result == .loggedIn) }
        }
    }

    /// The decision of a login whose try was truly evaluated.
    private static func evaluated(_ login: ShownLogin, _ house: TakenOverHouse) async throws -> Encoded<L5> {
        let attempt = try login.attempt()
        #expect(try await house.told(attempt, by: login.owner).status == .ok)
        return try house.decision(attempt, of: login)
    }

    @Test("A103 Whom it vouches for is not logged in without what device key and PIN sign, nor is it asked; with both, whatever was counted")
    func vouched() async throws {
        try await TakenOverHouse.run { house in
            let vouch = house.liar.vouching(secondFactorKey: house.alice.phone.raw.secondFactorPublicKey, at: house.servers.now)
            let asked = Mutex<[TakenOverSecondFactor.Call]>([])
            house.liar.lie(about: house.alice.phone.instance) { call in
                asked.withLock { $0.append(call) }
                return try vouch(call)
            }
            let accepted = try await Self.accepted(house)
            let (nonce, login) = try await house.shown(house.alice)
            let (attempt, stranger) = (try login.attempt(), house.bob.phone)
            #expect(try await stranger.send(try stranger.m1(attempt).message.bytes, attempt.ephemeral).status == .refused)
            #expect(asked.withLock { $0.count } == 0)
            #expect(try await house.told(attempt, by: house.alice).status == .ok)
            let choice = RawPhone.Choice(method: .pin, attempt: attempt.id, secondFactorSignature: try house.alice.phone.prove(attempt))
            let forged = [
                try stranger.raw.deciding(login.shown, by: house.alice.account, choice),
                try login.decision(attempt: attempt.id, method: .pin, proof: [UInt8](repeating: 7, count: 64)),
                try login.decision(attempt: attempt.id, method: .pin, proof: try stranger.prove(attempt)),
                try login.decision(attempt: attempt.id, method: .pin),
            ]
            for decision in forged { #expect(await house.servers.refusal { try await login.send(decision) } == .refused) }
            #expect(asked.withLock { $0.count } == 1, "the try alone")
            #expect(!(try await house.isLoggedIn(nonce)))
            #expect(try await Self.accepted(house) == accepted)
            // What it can do: nothing of this was counted.
            #expect(try await login.send(try house.decision(attempt, of: login)).result == .loggedIn)
            #expect(try await Self.accepted(house) == accepted + 1)
            #expect(try await house.servers.counted().highest == 0)
        }
    }

    private static func accepted(_ house: TakenOverHouse) async throws -> Int { try await house.trail().filter { $0 == .loginAccepted }.count }
}

extension Proof {
    /// Another one, for a receipt that is about something else.
    fileprivate func but(
        server: ServerID? = nil, instance: InstanceID? = nil, context: SecondFactorContext? = nil, sessionHash: [UInt8]? = nil
    ) -> Proof {
        Proof(
            serverID: server ?? serverID, instanceID: instance ?? instanceID, attemptID: attemptID, context: context ?? self.context, method: method,
            epoch: epoch, sessionHash: sessionHash ?? self.sessionHash, secondFactorKey: secondFactorKey, ticket: ticket,
            secondFactorSignature: secondFactorSignature, biometricSignature: biometricSignature)
    }
}
