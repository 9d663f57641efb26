import OstiaryProtocol

/// What a person is asked, and what they say.
extension VisitService {
    /// What there is to decide; nil where nothing is at the moment: nobody is logged in, or nobody need be asked.
    /// - Throws: ``VisitEnd/over`` for a device that waits no more.
    package func question(of subject: VisitSubject, _ arrival: VisitArrival, at server: ServerID, now: Instant) async throws -> ConsentQuestion? {
        try await openQuestion(of: subject, arrival, at: server, now: now)?.question
    }

    /// Yes or no to what was shown. Of all answers to a visit the first one counts, whatever it is and however many come at once.
    /// - Parameter key: of the visit, under which the question was marked.
    /// - Throws: ``VisitEnd/changed`` where something else is asked by now than the mark says, or nothing, as when the client has its answer;
    ///   ``VisitEnd/over`` for a device that was decided before.
    package func decide(
        _ subject: VisitSubject, _ arrival: VisitArrival, _ answer: ConsentAnswer, under key: ConsentKey, at server: ServerID, now: Instant
    ) async throws -> ConsentOutcome {
        guard let open = try await openQuestion(of: subject, arrival, at: server, now: now),
            ConsentMark(of: open.question, under: key).isShown(by: answer.mark)
        else { throw VisitEnd.changed }
        switch open.beside {
        case .device(let waiting):
            guard try await decided(waiting, open.question, answer, at: server, now: now) else { throw VisitEnd.over }
            return .device(isAllowed: answer.allows)
        case .request(let asked, let name, let keptAt):
            let visit = arrival.visit(since: keptAt, agreeingTo: open.question, now: now)
            do {
                return .client(try await answer.allows ? code(for: asked, visit, now: now) : denial(of: asked, name))
            } catch VisitEnd.over {
                // Another answer came since the question before: what one hears who answers after it.
                throw VisitEnd.changed
            }
        }
    }

    private func denial(of asked: AuthorizationRequest, _ name: String) async throws -> AuthorizeResponse {
        let denial = try await refusal(.denied, of: asked)
        try await refuse(name, at: asked.server)
        return denial
    }

    /// False where it was decided before, or is over.
    private func decided(
        _ waiting: PolledQuestion, _ question: ConsentQuestion, _ answer: ConsentAnswer, at server: ServerID, now: Instant
    ) async throws -> Bool {
        let (hash, login) = (waiting.authorization.hash, question.login)
        guard answer.allows else { return try await approval.deny(hash, at: server, account: login.account, now: now) != nil }
        do {
            return try await approval.approve(hash, at: server, scopes: question.scopes, session: login.session, shown: waiting, now: now) != nil
        } catch is AuthorizeRefusal {
            // The login ended since the question before.
            throw VisitEnd.changed
        } catch is AuthorizationRequestChanged {
            throw VisitEnd.changed
        }
    }

    private func openQuestion(
        of subject: VisitSubject, _ arrival: VisitArrival, at server: ServerID, now: Instant
    ) async throws -> OpenQuestion? {
        guard let login = arrival.login else { return nil }
        switch subject {
        case .device(let hash):
            guard let waiting = try await approval.question(hash, at: server, now: now) else { throw VisitEnd.over }
            return OpenQuestion(question: ConsentQuestion(waiting, login: login), beside: .device(waiting))
        case .request(let name):
            let resumed = try await authorize.resume(name, at: server, now: now)
            guard case .request(let asked) = resumed.outcome else { return nil }
            let step = try await authorize.next(for: asked, arrival.visit(since: resumed.keptAt, now: now), now: now)
            guard case .ask(let matter) = VisitMove(step, for: arrival), let question = ConsentQuestion(matter, of: asked, login: login) else {
                return nil
            }
            return OpenQuestion(question: question, beside: .request(asked, name: name, keptAt: resumed.keptAt))
        }
    }
}

/// What a page sends for its person.
package struct ConsentAnswer: Sendable {
    /// Of the question that they were shown.
    package let mark: String
    package let allows: Bool

    package init(mark: String, allows: Bool) {
        self.mark = mark
        self.allows = allows
    }
}

/// What came of an answer.
package enum ConsentOutcome: Equatable, Sendable {
    /// The browser takes this to its client.
    case client(AuthorizeResponse)
    /// The device that waits hears it by itself.
    case device(isAllowed: Bool)
}

/// A question, and what its answer decides.
private struct OpenQuestion: Sendable {
    enum Beside: Sendable {
        case request(AuthorizationRequest, name: String, keptAt: Instant)
        case device(PolledQuestion)
    }

    let question: ConsentQuestion
    let beside: Beside
}
