import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A phone in the middle of an enrolment.
struct EnrollingPhone: Sendable {
    let phone: TestPhone
    let claimed: RawPhone.Claimed

    var ephemeral: EphemeralKey { claimed.ephemeral }
    var enrolHash: [UInt8] { claimed.hash }
    var screen: E2 { claimed.shown }
    var payload: [UInt8] { phone.raw.payload(of: claimed) }
    var code: String { claimed.code }

    func attempt() throws -> TestAttempt {
        TestAttempt(try phone.raw.settingFirstPIN(claimed), account: screen.accountID, ephemeral: ephemeral)
    }

    /// E3 after a PIN was set.
    func acceptance(_ attempt: TestAttempt, _ evaluation: SecondFactorEvaluation) throws -> Encoded<E3> {
        try phone.raw.accepting(claimed, attempt.asking, evaluationKey: evaluation.evaluationKey)
    }

    func refusal() throws -> Encoded<E3> { try phone.raw.declining(claimed) }

    /// Sets the PIN and accepts.
    func finish() async throws -> Answer {
        let attempt = try attempt()
        let evaluated = try await phone.evaluate(attempt)
        let evaluation = try #require(evaluated.evaluation)
        return try await phone.send(try acceptance(attempt, evaluation).bytes, ephemeral)
    }

    func wait(hold: UInt8 = 0) async throws -> Answer { try await phone.sendFresh(W1(accountID: screen.accountID, hold: hold)) }
}

extension TestPhone {
    /// E1 and E2.
    func scan(_ link: EnrolLink) async throws -> EnrollingPhone {
        let ephemeral = try Self.ephemeral()
        let request = try seal(raw.claim(link).encoded, ephemeral)
        let answer = try await send(request)
        guard answer.status == .ok else { throw answer.status }
        return EnrollingPhone(
            phone: self, claimed: try RawPhone.Claimed(ephemeral: ephemeral, requestHash: request.hash, body: answer.body))
    }

    /// From the link to an account that may log in.
    func enrol(_ nonce: SessionNonce, userID: String? = "alice", name: String = "Alice at work") async throws -> EnrolledPhone {
        let link = try await servers.invite(nonce, userID: userID, name: name)
        let enrolling = try await scan(link)
        let finished = try await enrolling.finish()
        try #require(finished.status == .ok)
        let outcome = try await servers.services.enrolments.confirm(nonce, code: enrolling.code, at: servers.server, by: .backend, now: servers.now)
        try #require(outcome == .activated(enrolling.screen.accountID))
        return EnrolledPhone(phone: self, account: enrolling.screen.accountID, enrolling: enrolling)
    }
}

extension ServersFixture {
    func invite(_ nonce: SessionNonce, userID: String? = "alice", name: String = "Alice at work") async throws -> EnrolLink {
        try await services.enrolments.start(
            EnrolmentStart(nonce: nonce, displayName: name, userID: userID), at: server, origin: Self.origin, by: .backend, now: now
        ).link
    }
}
