import AuthServer
import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

/// What a phone does whose server has no database: it seals the same message anew and asks again, until it is answered.
extension EnrolledPhone {
    /// - Parameters:
    ///   - course: hears of each refusal.
    ///   - seal: makes a request of the message.
    /// - Returns: the answer, and the request that had it.
    func patiently(
        noting course: FaultContest.Course? = nil, _ seal: () throws -> SealedRequest
    ) async throws -> (answer: Answer, request: SealedRequest) {
        while true {
            try Task.checkCancellation()
            let request = try seal()
            let response = try await servers.phones.execute(uri: "/ap1", method: .post, body: ByteBuffer(bytes: request.bytes))
            guard response.status == .ok else {
                try #require(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil, "\(response.status)")
                course?.noteRefusal()
                await Task.yield()
                continue
            }
            let answer = try request.open(Array(buffer: response.body), from: phone.bundle.operatorKeys, clock: servers.now)
            // The other server is in the same case.
            guard answer.status != .secondFactorUnavailable else {
                course?.noteRefusal()
                continue
            }
            return (answer, request)
        }
    }

    /// L1 to L6 by the right PIN.
    /// - Parameters:
    ///   - twice: whether two copies of the decision are under way at once.
    ///   - course: hears of each refusal.
    /// - Returns: the session, and how it ended: `ok` where this phone is logged in.
    func logInPatiently(
        _ link: Encoded<LoginLink>, twice: Bool = false, noting course: FaultContest.Course? = nil
    ) async throws -> (status: Status, session: SessionID?) {
        let ephemeral = try TestPhone.ephemeral()
        let looking = phone.raw.looking(at: link).encoded
        let (seen, request) = try await patiently(noting: course) { try phone.seal(looking, ephemeral) }
        guard seen.status == .ok else { return (seen.status, nil) }
        let shown = try ShownLogin(owner: self, ephemeral, requestHash: request.hash, answer: seen.body)
        let session = shown.screen.sessionID
        let attempt = try shown.attempt()
        let evaluated = try await patiently(noting: course) { try phone.seal(try phone.m1(attempt).message.bytes, ephemeral) }
        guard evaluated.answer.status == .ok else { return (evaluated.answer.status, session) }
        let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.prove(attempt))
        let decide: @Sendable () async throws -> Status = {
            try await patiently(noting: course) { try phone.seal(decision.bytes, ephemeral) }.answer.status
        }
        guard twice else {
            let status = try await decide()
            return (status, session)
        }
        async let copy = decide()
        let status = try await decide()
        let other = try await copy
        #expect(status == other)
        return (status, session)
    }

    /// Tries a wrong PIN, which is counted and not proved.
    func guessPatiently(_ link: Encoded<LoginLink>) async throws -> Status {
        let ephemeral = try TestPhone.ephemeral()
        let looking = phone.raw.looking(at: link).encoded
        let (seen, request) = try await patiently { try phone.seal(looking, ephemeral) }
        guard seen.status == .ok else { return seen.status }
        let attempt = try ShownLogin(owner: self, ephemeral, requestHash: request.hash, answer: seen.body).attempt()
        return try await patiently { try phone.seal(try phone.m1(attempt).message.bytes, ephemeral) }.answer.status
    }

    /// Ends a session. A copy finds what the first did.
    func stopPatiently(_ session: SessionID) async throws {
        let stop = Stop(sessionID: session, reason: .user)
        let (answer, _) = try await patiently { try phone.sealFresh(stop) }
        #expect(answer.status == .ok)
    }
}
