import OstiaryProtocol

/// What became of a code that was typed.
package enum ConfirmationOutcome: Equatable, Sendable {
    case activated(AccountID)
    case wrong(triesLeft: UInt8)
    /// Three wrong codes: the account is gone.
    case removed
}

/// Why nothing is confirmed, or that nothing was typed that could be a code. None counts as a try.
package enum ConfirmationError: Error, Equatable, Sendable {
    case nothingToConfirm
    case expired
    /// The account is blocked. What was typed is not looked at, so that nobody learns whether it is right.
    case accountBlocked
    case notACode(CrockfordError)
}

extension EnrolmentService {
    /// The code that the phone shows, typed into the browser that enrols.
    /// - Parameters:
    ///   - own: the enrolment that the browser shows, when that is known; the code of another is not typed there.
    ///   - actor: where it was typed.
    /// - Throws: `ConfirmationError`.
    package func confirm(
        _ nonce: SessionNonce, code: String, of own: EnrolmentID? = nil, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> ConfirmationOutcome {
        let keys = try await keyring.keys(of: server)
        let activation = AccountActivation(derivation: keys.derivation, notice: NoticeID(using: random), actor: actor)
        let result = try await store.write { rows, former -> ConfirmationResult in
            guard let enrolment = try rows.enrolment(nonceHash: nonce.hash, of: server), own.map({ $0 == enrolment.id }) ?? true else {
                throw ConfirmationError.nothingToConfirm
            }
            // As the first look left it: a wrong code counts once.
            if let former, former.moved == enrolment { return former }
            return try Confirmation(code: code, activation: activation).confirm(enrolment, in: rows, at: now)
        }
        if let moved = result.moved { tell(moved) }
        for news in result.news { events.publish(news) }
        return result.outcome
    }

    /// Ends enrolments that ran out, at most `limit` of each sort: an account that nobody confirmed goes, and with it a new instance (protocol §5), in a
    /// transaction of its own, since it comes before its enrolment, and the next one's behind that (docs/decisions/0075).
    /// - Returns: how many.
    @discardableResult
    func expire(at now: Instant, limit: Int = 200) async throws -> Int {
        let over = try await store.write { rows, former -> (ended: [Enrolment], awaitCode: [EnrolmentID]) in
            let overdue = try rows.overdueEnrolments(at: now, limit: limit)
            let ended = try overdue.filter { !$0.awaitsCode }.map { try Self.end($0, in: rows, at: now) }
            return ((former?.ended ?? []) + ended, overdue.filter(\.awaitsCode).map(\.id))
        }
        for enrolment in over.ended { tell(enrolment) }
        var (count, fault) = (over.ended.count, (any Error)?.none)
        for enrolment in over.awaitCode {
            do {
                let ended = try await store.write { rows, former -> Enrolment? in
                    // Somebody was faster, or what this looked for is kept.
                    guard let found = try rows.enrolment(enrolment), found.awaitsCode, found.expiresAt < now else { return former ?? nil }
                    return try Self.end(found, in: rows, at: now)
                }
                guard let ended else { continue }
                tell(ended)
                count += 1
            } catch {
                // One that cannot be ended is in nobody's way.
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return count
    }

    /// One that ran out, as it is stored from now on.
    private static func end(_ enrolment: Enrolment, in rows: any AuthenticationRows, at now: Instant) throws -> Enrolment {
        guard case .confirming(let claim, _) = enrolment.state else {
            let ended = enrolment.settled(at: now)
            try rows.save(ended)
            return ended
        }
        let ended = enrolment.settled(at: now, isBlocked: try rows.account(claim.account)?.isBlocked == true)
        try Confirmation.giveUp(claim, of: enrolment, by: .server, in: rows, at: now) { try rows.save(ended) }
        return ended
    }
}

struct ConfirmationResult: Sendable {
    let outcome: ConfirmationOutcome
    /// The enrolment, when this changed it; nil for the right code again.
    let moved: Enrolment?
    let news: [SessionNews]
}

/// Compares a typed code, inside a transaction.
struct Confirmation: Sendable {
    let code: String
    let activation: AccountActivation

    func confirm(_ enrolment: Enrolment, in rows: any AuthenticationRows, at now: Instant) throws -> ConfirmationResult {
        switch enrolment.settled(at: now).state {
        case .active(let claim, _, _) where try isRight(claim):
            let account = try admitted(claim, in: rows)
            return ConfirmationResult(outcome: .activated(account.id), moved: nil, news: [])
        case .failed(.expired, _): throw ConfirmationError.expired
        case .open, .claimed, .active, .failed: throw ConfirmationError.nothingToConfirm
        case .confirming(let claim, _):
            let account = try admitted(claim, in: rows)
            return try isRight(claim) ? activate(enrolment, account, in: rows, at: now) : refuse(enrolment, claim, in: rows, at: now)
        }
    }

    /// The account, if it may be let in.
    private func admitted(_ claim: Enrolment.Claim, in rows: any AuthenticationRows) throws -> Account {
        guard let account = try rows.account(claim.account) else { throw ConfirmationError.nothingToConfirm }
        guard !account.isBlocked else { throw ConfirmationError.accountBlocked }
        return account
    }

    private func isRight(_ claim: Enrolment.Claim) throws(ConfirmationError) -> Bool {
        do { return try ConfirmationCode(enrolHash: claim.enrolHash).matches(typed: code) } catch { throw .notACode(error) }
    }

    private func activate(
        _ enrolment: Enrolment, _ account: Account, in rows: any AuthenticationRows, at now: Instant
    ) throws -> ConfirmationResult {
        let outcome = try activation.activate(enrolment, account, in: rows, at: now)
        return ConfirmationResult(outcome: .activated(account.id), moved: outcome.enrolment, news: outcome.news)
    }

    private func refuse(
        _ enrolment: Enrolment, _ claim: Enrolment.Claim, in rows: any AuthenticationRows, at now: Instant
    ) throws -> ConfirmationResult {
        let guessed = try enrolment.after(.wrongCode, at: now)
        guard case .failed = guessed.state else {
            try rows.save(guessed)
            return ConfirmationResult(
                outcome: .wrong(triesLeft: Enrolment.mostWrongCodes - guessed.wrongCodes), moved: guessed, news: [])
        }
        try Self.giveUp(claim, of: enrolment, by: activation.actor, in: rows, at: now) { try rows.save(guessed) }
        return ConfirmationResult(outcome: .removed, moved: guessed, news: [])
    }

    /// What waited for its code goes: a new account, or the second factor of a headless one, which stays as it was.
    /// - Parameter end: saves the enrolment as it ended, in its turn: behind the account and before the instance (docs/decisions/0075).
    static func giveUp(
        _ claim: Enrolment.Claim, of enrolment: Enrolment, by actor: AuditActor, in rows: any AuthenticationRows, at now: Instant,
        ending end: () throws -> Void
    ) throws {
        try rows.record(AuditEntry(.enrolmentFailed, server: enrolment.server, account: claim.account, by: actor, at: now))
        guard enrolment.purpose.upgraded != nil else {
            _ = try AccountRemoval(account: claim.account, server: enrolment.server, actor: actor)
                .apply(in: rows, at: now, endingEnrolment: end)
            return
        }
        guard let account = try rows.account(claim.account) else { return try end() }
        try account.withoutNewFactor(in: rows, at: now, endingEnrolment: end)
    }
}
