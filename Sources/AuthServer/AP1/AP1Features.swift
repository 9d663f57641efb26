import Authentication
import OstiaryProtocol

/// Which feature answers which message.
struct AP1Features: Sendable {
    let enrolments: EnrolmentService
    let logins: LoginService
    let attempts: AttemptService
    let changes: SecondFactorChangeService
    let presence: PresenceService
    let accounts: AccountService
    let events: any SessionEvents
    let poll: LongPoll
    let clock: @Sendable () -> Instant

    init(services: AuthenticationServices, poll: LongPoll, clock: @Sendable @escaping () -> Instant) {
        enrolments = services.enrolments
        logins = services.logins
        attempts = services.attempts
        changes = services.changes
        presence = services.presence
        accounts = services.accounts
        events = services.events
        self.poll = poll
        self.clock = clock
    }

    func reply(to request: PhoneRequest) async throws -> Reply {
        let type: MessageType
        do { type = try MessageType(of: request.opened.message) } catch { throw Refusal.malformed(error) }
        switch type {
        case .e1: return try await enrolments.claim(request)
        case .e3: return try await enrolments.finish(request)
        case .w1: return try await wait(request)
        case .l1: return try await logins.show(request)
        case .l5: return try await logins.decide(request)
        case .l7: return try await logins.note(request)
        case .m1: return try await attempts.evaluate(request)
        case .m3: return try await changes.complete(request)
        case .ping: return try await ping(request)
        case .stop: return try await presence.stop(request)
        case .delete: return try await accounts.delete(request)
        case .request, .answer, .e2, .e4, .l2, .l6, .m2, .m4, .ticket, .secondFactorAnswer, .proof, .receipt, .close, .secondFactorEvaluation,
            .reset, .probe,
            .pingAnswer, .tombstone, .bundle:
            throw Refusal.messageNotServed
        }
    }

    private func ping(_ request: PhoneRequest) async throws -> Reply {
        let message = try request.message(Ping.self)
        let subscription = events.subscribe(to: [.session(message.sessionID)])
        let standing = try await presence.ping(request)
        let answer = try await poll.answer(standing.answer, isNews: standing.isNews, hold: message.hold, subscription: subscription) {
            try await presence.look(again: standing, at: request.server, now: clock())
        }
        return Reply(body: answer.encoded)
    }

    private func wait(_ request: PhoneRequest) async throws -> Reply {
        let message = try request.message(W1.self)
        let subscription = events.subscribe(to: [.account(message.accountID)])
        let first = try await enrolments.wait(request)
        let outcome = try await poll.answer(first, isNews: first.isNews, hold: message.hold, subscription: subscription) {
            try await enrolments.lookAgain(message.accountID, request, now: clock())
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
