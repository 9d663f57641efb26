import Authentication
import OstiaryProtocol

/// Which feature answers which message.
struct AP1Features: Sendable {
    let domain: AuthenticationServices
    let poll: LongPoll
    let clock: @Sendable () -> Instant

    func reply(to request: PhoneRequest) async throws -> Reply {
        let type: MessageType
        do { type = try MessageType(of: request.opened.message) } catch { throw Refusal.malformed(error) }
        switch type {
        case .e1: return try await domain.enrolments.claim(request)
        case .e3: return try await domain.enrolments.finish(request)
        case .w1: return try await wait(request)
        case .l1: return try await domain.logins.show(request)
        case .l5: return try await domain.logins.decide(request)
        case .l7: return try await domain.logins.note(request)
        case .m1: return try await domain.attempts.evaluate(request)
        case .m3: return try await domain.changes.complete(request)
        case .ping: return try await ping(request)
        case .stop: return try await domain.presence.stop(request)
        case .delete: return try await domain.accounts.delete(request)
        case .request, .answer, .e2, .e4, .l2, .l6, .m2, .m4, .ticket, .secondFactorAnswer, .proof, .receipt, .close, .secondFactorEvaluation,
            .reset, .probe, .leave,
            .pingAnswer, .tombstone, .bundle:
            throw Refusal.messageNotServed
        }
    }

    private func ping(_ request: PhoneRequest) async throws -> Reply {
        let message = try request.message(Ping.self)
        let subscription = domain.events.subscribe(to: [.session(message.sessionID)])
        let standing = try await domain.presence.ping(request)
        let answer = try await poll.answer(standing.answer, isNews: standing.isNews, hold: message.hold, subscription: subscription) {
            try await domain.presence.look(again: standing, at: request.server, now: clock())
        }
        return Reply(body: answer.encoded)
    }

    private func wait(_ request: PhoneRequest) async throws -> Reply {
        let message = try request.message(W1.self)
        let subscription = domain.events.subscribe(to: [.account(message.accountID)])
        let first = try await domain.enrolments.wait(request)
        let outcome = try await poll.answer(first, isNews: first.isNews, hold: message.hold, subscription: subscription) {
            try await domain.enrolments.lookAgain(message.accountID, request, now: clock())
        }
        switch outcome {
        case .active(let reply): return reply
        case .pending: throw Refusal.accountPending
        }
    }
}

extension WaitOutcome {
    fileprivate var isNews: Bool {
        switch self {
        case .active: true
        case .pending: false
        }
    }
}

extension PhoneRequest {
    /// The message, or a refusal.
    fileprivate func message<Message: WireMessage>(_: Message.Type) throws(Refusal) -> Message {
        do { return try Message(decoding: opened.message) } catch { throw .malformed(error) }
    }
}
