import Authentication
import OstiaryProtocol

/// Which feature answers which message.
struct AP1Features: Sendable {
    let domain: AuthenticationServices
    let poll: LongPoll
    let codes: DeviceCodes
    let behind: ServicesBehind

    func reply(to request: PhoneRequest, from caller: AP1Caller) async throws -> Reply {
        let type: MessageType
        do { type = try MessageType(of: request.opened.message) } catch { throw Refusal.malformed(error) }
        switch type {
        case .e1: return try await domain.enrolments.claim(request)
        case .e3: return try await domain.enrolments.finish(request)
        case .w1: return try await poll.answer(domain.enrolments.wait(request))
        case .l1: return try await domain.logins.show(request)
        case .l5: return try await domain.logins.decide(request)
        case .l7: return try await domain.logins.note(request)
        case .m1: return try await domain.attempts.evaluate(request)
        case .m3: return try await domain.changes.complete(request)
        case .ping: return try await poll.answer(domain.presence.ping(request))
        case .fetch: return try await domain.waiting.fetch(request)
        case .verification: return try await codes.answer(request, caller)
        case .getToken: return try await behind.token(request)
        case .getData: return try await behind.data(request)
        case .stop: return try await domain.presence.stop(request)
        case .delete: return try await domain.accounts.delete(request)
        case .request, .answer, .e2, .e4, .l2, .l6, .m2, .m4, .ticket, .secondFactorAnswer, .proof, .receipt, .close, .secondFactorEvaluation,
            .reset, .probe, .leave, .pingAnswer, .tombstone, .waiting, .serviceToken, .serviceData, .bundle:
            throw Refusal.messageNotServed
        }
    }
}
