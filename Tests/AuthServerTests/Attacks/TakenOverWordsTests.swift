import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// What a second-factor server says of counts and times, when it says what it likes (threat A103): whatever it is, each phone has an answer, a share goes
/// with an evaluation under a new number alone, and everybody else logs in and out.
@Suite("What a second-factor server says that was taken over", .timeLimit(.minutes(10)))
struct TakenOverWordsTests {
    /// What it has to say of a try or a proof, and what no phone need translate.
    private static let own: Set<Status> = [
        .refused, .penalised, .blocked, .pinRequired, .wrongEpoch, .secondFactorUnavailable, .secondFactorUnknown,
    ]

    @Test("A103 Of sessions, accounts, enrolments and services no phone hears a word on its word, whatever status it signs for a try or a proof")
    func words() async throws {
        try await TakenOverHouse.run { house in
            for status in Status.allCases where status != .ok && status != .closed {
                let (nonce, login) = try await house.shown(house.alice)
                let attempt = try login.attempt()
                let expected = Self.own.contains(status) ? status : .secondFactorUnavailable
                house.liar.lie(about: house.alice.phone.instance) { call in .said(status, of: call.attempt) }
                let told = try await house.told(attempt, by: house.alice)
                #expect(told.status == expected, "a try: \(status)")
                #expect((try? M2(decoding: told.body))?.serverShare == nil, "a try: \(status)")

                house.liar.tellTheTruth()
                #expect(try await house.told(attempt, by: house.alice).status == .ok, "after \(status)")
                let decision = try house.decision(attempt, of: login)
                house.liar.lie(about: house.alice.phone.instance) { call in .said(status, of: call.attempt) }
                let refusal = await house.servers.refusal { try await login.send(decision) }
                #expect(refusal == (status == .sequence ? .refused : expected), "a proof: \(status)")
                #expect(!(try await house.isLoggedIn(nonce)), "a proof: \(status)")

                house.liar.tellTheTruth()
                #expect(try await login.send(decision).result == .loggedIn, "after \(status)")
                house.servers.clock.advance(1)
            }
        }
    }

    /// One answer to a try, and what comes of it.
    private struct Saying: Sendable {
        let answer: Status
        var highest: UInt64 = 0
        var epoch: UInt32 = 1
        var tries = Tries.none
        /// What the phone is told.
        let told: Status
    }

    private static let most = Tries(failed: .max, most: .max, wait: .max, withoutPINLeft: .max)
    private static let limit: UInt64 = 1 << 62

    /// In their order, each to another try of one login, after another that had the number 1.
    private static let sayings = [
        Saying(answer: .ok, told: .refused),
        Saying(answer: .ok, highest: 2, tries: most, told: .ok),
        Saying(answer: .blocked, highest: 5, tries: most, told: .blocked),
        Saying(answer: .ok, highest: 5, told: .refused),
        Saying(answer: .ok, highest: 4, told: .refused),
        Saying(answer: .ok, highest: 6, told: .ok),
        Saying(answer: .secondFactorUnknown, epoch: 0, told: .secondFactorUnknown),
        Saying(answer: .wrongEpoch, epoch: .max, tries: most, told: .wrongEpoch),
        Saying(answer: .penalised, highest: 3, tries: Tries(failed: 0, most: 0, wait: .max, withoutPINLeft: 0), told: .penalised),
        Saying(answer: .ok, highest: 7, told: .ok),
        Saying(answer: .ok, highest: limit, told: .secondFactorUnavailable),
        Saying(answer: .blocked, highest: .max, told: .secondFactorUnavailable),
        Saying(answer: .sequence, highest: .max, told: .secondFactorUnavailable),
        Saying(answer: .ok, highest: limit - 1, told: .ok),
        Saying(answer: .ok, highest: limit - 1, told: .refused),
    ]

    @Test("A103 Counts that go up, down and beyond, and blocks that come and go, log nobody in; others log in beside them, and a stop is one")
    func counts() async throws {
        try await TakenOverHouse.run { house in
            let before = try #require(try await house.alice.logInApp().sessionID)
            let (nonce, login) = try await house.shown(house.alice)
            for (number, saying) in Self.sayings.enumerated() {
                house.liar.lie(about: house.alice.phone.instance) { call in
                    .said(saying.answer, of: call.attempt, highest: saying.highest, epoch: saying.epoch, tries: saying.tries)
                }
                let told = try await house.told(try login.attempt(), by: house.alice)
                #expect(told.status == saying.told, "\(number)")
                let answer = try? M2(decoding: told.body)
                #expect((answer?.serverShare != nil) == (told.status == .ok), "\(number)")
                if let answer { #expect(answer.tries == saying.tries && answer.epoch == saying.epoch, "\(number)") }
                try await house.expectLogin(of: house.bob, "Bob, beside \(number)")
                // What got no answer keeps its number for that long.
                house.servers.clock.advance(10)
            }
            #expect(!(try await house.isLoggedIn(nonce)))
            // What it can do: numbers that nobody comes to any more are the end of that PIN, for an honest one, too.
            house.liar.tellTheTruth()
            #expect(try await house.told(try login.attempt(), by: house.alice).status == .refused)
            #expect(try await house.alice.stop(before).state == .stopped)
        }
    }

    @Test("A103 The largest answer that is read of it is handed on whole, ends nothing, and costs nobody a login")
    func largest() async throws {
        try await TakenOverHouse.run { house in
            let (_, login) = try await house.shown(house.alice)
            let attempt = try login.attempt()
            let bare = Encoded(SecondFactorAnswer.said(.ok, of: attempt.id, highest: 1), signedBy: house.liar.key).bytes.count
            // No more is read (HTTPSecondFactorTransport).
            let sealed = [UInt8](repeating: 7, count: 65_536 - bare)
            house.liar.lie(about: house.alice.phone.instance) { call in .said(.ok, of: call.attempt, highest: 1, sealed: sealed) }
            let told = try await house.told(attempt, by: house.alice)
            #expect(told.status == .ok)
            #expect(try M2(decoding: told.body).sealed == sealed)
            house.liar.tellTheTruth()
            try await house.expectLogin(of: house.alice, "the largest")
        }
    }

    @Test("A103 Times from nothing to the end of time in a receipt make no login later than now, and what is kept of it stops no other")
    func times() async throws {
        try await TakenOverHouse.run { house in
            let (now, key, end) = (house.servers.now, house.liar.key, Instant(.max))
            for (last, issued) in [(Instant(0), end), (end, Instant(0)), (end, end), (Instant(0), Instant(0))] {
                house.liar.bend { truth in
                    guard let receipt = truth.receipt?.value else { return truth }
                    return truth.changed(receipt: Encoded(receipt.proved(last, issued), signedBy: key))
                }
                let nonce = try await house.expectLogin(of: house.alice, "\(last), \(issued)")
                #expect(try await house.servers.status(of: nonce).authentication?.time == min(last, now), "\(last), \(issued)")
                house.liar.tellTheTruth()
                try await house.expectLogin(of: house.alice, "after \(last), \(issued)")
            }
        }
    }

    @Test("A103 What it calls closed takes the accounts of that one phone with it, stops their logins, and stands in the audit trail as its word")
    func closed() async throws {
        try await TakenOverHouse.run { house in
            let hers = try await house.expectLogin(of: house.alice, "before")
            let his = try await house.expectLogin(of: house.bob, "before")
            let (_, login) = try await house.shown(house.alice)
            house.liar.lie(about: house.alice.phone.instance) { call in .said(.closed, of: call.attempt) }
            let told = try await house.told(try login.attempt(), by: house.alice)
            #expect(told.status == .accountDeleted)
            #expect(try Tombstone(decoding: told.body).accountID == house.alice.account)
            #expect(!(try await house.isLoggedIn(hers)))
            #expect(try await house.isLoggedIn(his))
            #expect(try await house.trail().filter { $0 == .accountClosedBySecondFactor }.count == 1)
            try await house.expectLogin(of: house.bob, "after")
        }
    }
}

extension Receipt {
    /// The same with other times, and as many biometrics as there can be.
    fileprivate func proved(_ last: Instant, _ issued: Instant) -> Receipt {
        Receipt(
            serverID: serverID, instanceID: instanceID, attemptID: attemptID, sessionHash: sessionHash, context: context, method: method,
            epoch: epoch, sequence: sequence, secondFactorKey: secondFactorKey, signaturesHash: signaturesHash, withoutPIN: .max, lastPIN: last,
            issuedAt: issued)
    }
}
