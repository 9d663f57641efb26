import AuthServer
import Authentication
import OstiaryProtocol
import Testing

/// A phone in the middle of an enrolment.
struct EnrollingPhone: Sendable {
    let phone: TestPhone
    let ephemeral: EphemeralKey
    let enrolHash: [UInt8]
    let screen: E2

    var payload: [UInt8] { phone.devicePublicKey + enrolHash }
    var code: String { "\(ConfirmationCode(enrolHash: enrolHash))" }

    func attempt() throws -> TestAttempt {
        let sessionHash = Transcript.operation(.firstSet, instance: phone.instance, epoch: 1, payload: payload)
        return try TestAttempt(sessionHash, context: .firstSet, payload: payload, account: screen.accountID, ephemeral: ephemeral)
    }

    /// E3 after a PIN was set.
    func acceptance(_ attempt: TestAttempt, _ evaluation: SecondFactorEvaluation) throws -> Encoded<E3> {
        try Encoded(
            E3(
                enrolHash: enrolHash, decision: .accept, instanceID: phone.instance, attemptID: attempt.id, context: .firstSet, epoch: 1,
                secondFactorKey: phone.pkSf, secondFactorSignature: try phone.set(attempt, evaluation)),
            signedBy: phone.sign)
    }

    func refusal() throws -> Encoded<E3> {
        try Encoded(
            E3(
                enrolHash: enrolHash, decision: .decline, instanceID: nil, attemptID: nil, context: .firstSet, epoch: 1, secondFactorKey: nil,
                secondFactorSignature: nil),
            signedBy: phone.sign)
    }

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
    func e1(_ link: EnrolLink) -> E1 {
        E1(enrolID: link.enrolID, enrolSecret: link.enrolSecret, deviceKey: devicePublicKey, appInfo: "Test 1.0", osInfo: device)
    }

    /// E1 and E2.
    func scan(_ link: EnrolLink) async throws -> EnrollingPhone {
        let ephemeral = try Self.ephemeral()
        let request = try seal(e1(link).encoded, ephemeral)
        let answer = try await send(request)
        guard answer.status == .ok else { throw answer.status }
        return EnrollingPhone(
            phone: self, ephemeral: ephemeral, enrolHash: Transcript.enrolment(requestHash: request.hash, shown: answer.body),
            screen: try E2(decoding: answer.body))
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

extension TwoServers {
    func invite(_ nonce: SessionNonce, userID: String? = "alice", name: String = "Alice at work") async throws -> EnrolLink {
        try await services.enrolments.start(
            EnrolmentStart(nonce: nonce, displayName: name, userID: userID), at: server, origin: Self.origin, by: .backend, now: now
        ).link
    }
}
