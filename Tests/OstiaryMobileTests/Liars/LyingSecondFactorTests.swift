import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// Servers that sign false answers to the attempts of a PIN (M2, the evaluation in it, M4).
@Suite("Lying servers at a second factor", .timeLimit(.minutes(10)))
struct LyingSecondFactorTests {
    private func stored(_ phone: TestPhone) throws -> StoredInstance {
        try #require(try StoredState(decoding: phone.accounts.document).instances.first)
    }

    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int {
        await phone.server.with { server in server.received.filter { $0 == type }.count }
    }

    /// That the right PIN ended the question with this error, and that nothing of the answer stayed.
    private func expectRefused(_ phone: TestPhone, _ error: OstiaryError, asIs document: [UInt8]?) async throws {
        phone.ostiary.sfInput(PIN("271828"))
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.secondFactorInfo.result == .error && !last.secondFactorInfo.retry)
        #expect(try await phone.finalFailure() == error)
        #expect(phone.accounts.document == document)
        #expect(await count(.l5, phone) == 0)
    }

    @Test("The evaluation of another attempt is no evaluation of this one")
    func otherAttempt() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { server in
            server.lies.evaluation = { evaluation, _ in
                SecondFactorEvaluation(
                    attemptID: AttemptID(using: SystemRandomSource()), evaluation: evaluation.evaluation, evaluationKey: nil, tries: evaluation.tries)
            }
        }
        try await expectRefused(phone, .serverAnswer, asIs: phone.accounts.document)
    }

    @Test("An evaluation that the authentication server signed itself is a false second-factor server")
    func evaluationByTheServer() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.lies.evaluationSigner = $0.keys.operatorKey }
        try await expectRefused(phone, .serverIdentity, asIs: phone.accounts.document)
    }

    @Test("An evaluation under a status other than OK is none")
    func evaluationUnderAnotherStatus() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.lies.evaluationStatus = .refused }
        try await expectRefused(phone, .serverAnswer, asIs: phone.accounts.document)
    }

    @Test("The key that made an evaluation is the one that was pinned with the PIN, even if another comes along and proves itself")
    func otherEvaluationKey() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { server in
            server.lies.evaluation = { evaluation, blinded in
                let key = try OPRFKey.generate()
                return SecondFactorEvaluation(
                    attemptID: evaluation.attemptID, evaluation: try key.evaluate(blinded, attempt: evaluation.attemptID),
                    evaluationKey: key.publicKey, tries: evaluation.tries)
            }
        }
        try await expectRefused(phone, .serverIdentity, asIs: phone.accounts.document)
    }

    @Test("“Evaluated” without the server's share is an answer that cannot be understood, and no wrong PIN")
    func noShare() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.lie(about: .m1) { status, body in
            (try? M2(decoding: body)).map { (status, M2(epoch: $0.epoch, tries: $0.tries, serverShare: nil, sealed: $0.sealed).encoded) } ?? (
                status, body
            )
        }
        try await expectRefused(phone, .serverAnswer, asIs: phone.accounts.document)
    }

    @Test("S4-58 S4-59 how many tries are used is the second-factor server's word, not that of the server that relays it")
    func triesOfTheRelay() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.lie(about: .m1) { status, body in
            let lie = Tries(failed: 0, most: 99, wait: 0, withoutPINLeft: Tries.unlimited)
            return (try? M2(decoding: body)).map { (status, M2(epoch: 1, tries: lie, serverShare: $0.serverShare, sealed: $0.sealed).encoded) }
                ?? (status, body)
        }
        phone.ostiary.sfInput(PIN("271829"))
        let told = try await phone.secondFactor().secondFactorInfo
        #expect(told.failedAttempts == 1 && told.maxAttempts == 5)
    }

    private static func only(_ status: Status, epoch: UInt32 = 1, wait: UInt32 = 0) -> @Sendable (Status, [UInt8]) -> (Status, [UInt8]) {
        let tries = Tries(failed: 3, most: 5, wait: wait, withoutPINLeft: 0)
        return { _, _ in (status, M2(epoch: epoch, tries: tries, serverShare: nil, sealed: []).encoded) }
    }

    @Test(
        "WRONG_EPOCH that names an epoch for which this phone has no box, or its own, ends the question after one attempt",
        arguments: [7, 1] as [UInt32])
    func otherEpoch(_ epoch: UInt32) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        let before = try stored(phone)
        let asked = await count(.m1, phone)
        await phone.server.lie(about: .m1, Self.only(.wrongEpoch, epoch: epoch))
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .secondFactorUnknown)
        #expect(try stored(phone) == before)
        #expect(await count(.m1, phone) == asked + 1)
    }

    @Test("S4-61 a penalty is at most a day: a server that names a longer one does not shut a phone out for good")
    func endlessPenalty() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { server in
            server.lies.evaluation = { told, _ in
                let endless = Tries(failed: 1, most: 5, wait: .max, withoutPINLeft: Tries.unlimited)
                return SecondFactorEvaluation(attemptID: told.attemptID, evaluation: told.evaluation, evaluationKey: nil, tries: endless)
            }
        }
        phone.ostiary.sfInput(PIN("271829"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 86_400)
        await phone.server.with { $0.lies.evaluation = nil }
        phone.clock.advance(86_400)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        #expect(try await next.atSecondFactor().secondFactorInfo.penalisedFor == 0)
        next.ostiary.sfInput(PIN("271828"))
        #expect(try await next.secondFactor().secondFactorInfo.result == .success)
    }

    @Test("A penalty that the authentication server alone tells of is shown for five minutes at most, and the next PIN is asked for at once")
    func penaltyWithoutSignature() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.lie(about: .m1, Self.only(.penalised, wait: .max))
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 300)
        let asked = await count(.m1, phone)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 300)
        #expect(await count(.m1, phone) == asked + 1, "the server is asked again, and lies again")
        await phone.server.with { $0.lies.answers = nil }
        phone.ostiary.sfInput(PIN("271828"))
        let last = try await phone.secondFactor().secondFactorInfo
        #expect(last.result == .success && last.penalisedFor == 0)
    }

    @Test(
        "What the authentication server alone told of a penalty or a block keeps nobody from the next login",
        arguments: [Status.penalised, .blocked])
    func nextLogin(_ status: Status) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.lie(about: .m1, Self.only(status, wait: .max))
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.secondFactor()
        await phone.server.with { $0.lies.answers = nil }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        #expect(try await next.logIn { next.ostiary.sfInput(PIN("271828")) } == [.success])
    }

    @Test(
        "PENALISED, BLOCKED and WRONG_EPOCH without what they have to say are answers that cannot be understood",
        arguments: [Status.penalised, .blocked, .wrongEpoch])
    func emptyBodies(_ status: Status) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.lie(about: .m1) { _, _ in (status, []) }
        try await expectRefused(phone, .serverAnswer, asIs: phone.accounts.document)
    }

    // MARK: change of the PIN

    /// As far as the question for the new PIN.
    private func atNewPIN(_ phone: TestPhone) async throws {
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        while try await phone.secondFactor().secondFactorInfo.context != .pinChangeSet {}
    }

    @Test("An M4 of another epoch completes no change of the PIN: the box of before stays beside the new one, and the servers decide which opens")
    func changeToAnotherEpoch() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await phone.server.lie(about: .m3) { status, _ in (status, M4(epoch: 7, withoutPINLeft: Tries.unlimited).encoded) }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverAnswer)
        #expect(try stored(phone).epoch == 1 && stored(phone).change?.epoch == 2)
        await phone.server.with { $0.lies.answers = nil }
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("314159")) } == [.success])
    }

    @Test("WRONG_EPOCH that names neither of the two epochs that a phone has boxes for leaves both boxes where they are")
    func otherEpochDuringChange() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await phone.server.lie(about: .m3) { status, _ in (status, M4(epoch: 7, withoutPINLeft: Tries.unlimited).encoded) }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverAnswer)
        let before = try stored(phone)
        #expect(before.epoch == 1 && before.change?.epoch == 2)
        await phone.server.lie(about: .m1, Self.only(.wrongEpoch, epoch: 7))
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .secondFactorUnknown)
        #expect(try stored(phone) == before)
    }

    @Test(
        "A new PIN is not counted, so that PENALISED and BLOCKED in answer to it are no answers; the old PIN stays",
        arguments: [Status.penalised, .blocked])
    func newPINNotCounted(_ status: Status) async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        let before = try stored(phone)
        await phone.server.lie(about: .m1, Self.only(status))
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverAnswer)
        #expect(try stored(phone) == before)
    }

    @Test("A new PIN without a share, or under a key that nobody names, is not set", arguments: [true, false])
    func newPINWithoutHalf(_ hasShare: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        let before = try stored(phone)
        if hasShare {
            await phone.server.with { server in
                server.lies.evaluation = { told, _ in
                    SecondFactorEvaluation(attemptID: told.attemptID, evaluation: told.evaluation, evaluationKey: nil, tries: told.tries)
                }
            }
        } else {
            await phone.server.lie(about: .m1) { status, body in
                (try? M2(decoding: body)).map { (status, M2(epoch: $0.epoch, tries: $0.tries, serverShare: nil, sealed: $0.sealed).encoded) }
                    ?? (status, body)
            }
        }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverAnswer)
        #expect(try stored(phone) == before)
        #expect(await count(.m3, phone) == 1, "the verification only")
    }
}
