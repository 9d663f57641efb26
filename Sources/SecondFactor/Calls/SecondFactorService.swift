import OstiaryProtocol

/// What becomes of the body of a call.
package enum CallOutcome: Sendable, Equatable {
    /// Not a call, or with a message that nobody sends here.
    case malformed
    /// Nobody that the operator trusts has signed it.
    case untrusted(root: [UInt8], Stranger)
    /// A signed SfAnswer, whatever it says.
    case answered([UInt8], CallRecord?)

    package enum Stranger: Sendable, Equatable {
        /// Its chain leads to no root that is trusted.
        case otherRoot
        /// A probe that its caller did not sign.
        case unsignedProbe
    }
}

/// The services of the second-factor server over one store: all that routes and tests hold. It answers calls of authentication servers (protocol §7):
/// decodes, checks, asks the rules in one transaction of the store, signs.
package struct SecondFactorService: Sendable {
    package let store: any SecondFactorStore
    package let tickets: TicketService
    package let proofs: ProofService
    package let administration: AdministrationService
    let policy: Policy
    let evaluator: any Evaluator
    let isWritable: @Sendable () async -> Bool
    private let callers: TrustedCallers
    private let leaps: LeapWatch

    /// - Parameters:
    ///   - trustedRoots: hashes of the roots of the authentication servers that may call, 32 bytes each.
    ///   - leaps: knows since when the clock of the calls has not leapt.
    ///   - isWritable: whether an attempt could be counted: false when the disk takes nothing.
    package init(
        trustedRoots: [[UInt8]], store: any SecondFactorStore, policy: Policy, evaluator: any Evaluator, leaps: LeapWatch = LeapWatch(),
        isWritable: @Sendable @escaping () async -> Bool = { true }
    ) {
        callers = TrustedCallers(trustedRoots)
        self.store = store
        tickets = TicketService(store: store, policy: policy)
        proofs = ProofService(store: store, policy: policy)
        administration = AdministrationService(store: store, policy: policy)
        self.policy = policy
        self.evaluator = evaluator
        self.leaps = leaps
        self.isWritable = isWritable
    }

    /// - Parameter bytes: a SecondFactorCall.
    /// - Throws: faults only: the store, or a key that does not unwrap.
    package func answer(_ bytes: [UInt8], with keys: any OwnKeys, at now: Instant) async throws -> CallOutcome {
        guard let call = try? SecondFactorCall(decoding: bytes), let message = CallMessage(call) else { return .malformed }
        guard let caller = callers.caller(call.caller) else { return .untrusted(root: call.caller.value.root.hash, .otherRoot) }
        let context = CallContext(service: self, caller: caller, keys: keys, now: now, steadyFor: leaps.note(now))
        let reply: CallReply? =
            switch message {
            case .ticket(let ticket): try await context.answer(ticket, sealed: call.sealed, receipts: call.receipts)
            case .proof(let proof): try await context.answer(proof, receipts: call.receipts)
            case .close(let close): try await context.answer(close)
            case .reset(let reset): try await context.answer(reset)
            case .probe(let probe): await context.answer(probe)
            case .leave(let leave): try await context.answer(leave)
            }
        guard let reply else { return .untrusted(root: caller.server.rootHash, .unsignedProbe) }
        return .answered(Encoded(reply.answer, signedBy: keys.operatorKey).bytes, reply.record)
    }

    /// Brings back what a clock wrote that ran ahead, once the clock has stayed where it was put: once after each leap, and after the start, where it shows
    /// less than it did or than rows bear. So a penalty goes on by the clock that is right, before that one reaches the moment which the penalty bears.
    ///
    /// Takes one batch of all instances, and reads it beside those who write: only what lies ahead is written. By the time of each batch, so that nothing
    /// that is written meanwhile is taken for ahead.
    /// - Returns: how many instances were rewritten, and whether there are more to be looked at.
    @discardableResult
    package func bringBack(at now: Instant) async throws -> (rewritten: Int, isMore: Bool) {
        guard let due = leaps.due(at: now) else { return (0, false) }
        let ahead = now + Times.clockSlack
        let look = try await store.read { rows in try rows.lookAhead(of: ahead, behind: due.place, limit: Self.batch) }
        let rewritten = try await rewrite(look.ahead, ahead: ahead, at: now, steadyFor: due.seconds)
        leaps.noteLooked(upTo: look.last, in: due.span)
        return (rewritten, look.last != nil)
    }

    private func rewrite(_ found: [InstanceID], ahead: Instant, at now: Instant, steadyFor seconds: UInt64) async throws -> Int {
        guard !found.isEmpty else { return 0 }
        return try await store.write { rows, former in
            let instances = try found.compactMap { try rows.instance($0) }.filter { $0.counter.lastSeen > ahead }
            for instance in instances { try rows.save(instance.settled(at: now, steadyFor: seconds)) }
            return max(instances.count, former ?? 0)
        }
    }

    /// The most rows that one transaction takes, so that no try waits long for the next.
    static let batch = 200
    /// The most transactions of a kind in a run: half a minute at most, after which the log of the database has to be emptied (protocol §7).
    static let rounds = 500

    /// Whether the clock has gone on without a leap for so long that what is forgotten by it cannot be played again once it is put right.
    package func isSteady(at now: Instant) -> Bool { leaps.note(now) >= Times.forgettingPatience }

    /// Deletes attempts and pending keys that have had their time, and resets that are kept no longer, in batches.
    /// - Parameters:
    ///   - resetRetention: seconds for which resets are kept, at least ``Times/resetSpan``; nil for ever.
    ///   - isSteady: as ``isSteady(at:)`` says: otherwise only pending keys go. The row of an attempt keeps it from counting twice.
    ///   - rest: called after each full batch. Whatever it waits for, tries have the database meanwhile; throwing ends the run.
    /// - Returns: how many rows went, where a commit was lost meanwhile at least so many; and whether there is more.
    @discardableResult
    package func deleteExpired(
        at now: Instant, resetRetention: UInt64? = nil, isSteady: Bool = true, resting rest: () async throws -> Void = {}
    ) async throws -> (deleted: Int, isMore: Bool) {
        guard isSteady else { return try await inBatches(rest) { rows in try rows.removePendingKeys(expiredAt: now, limit: Self.batch) } }
        let expired = try await inBatches(rest) { rows in try rows.removeExpired(at: now, limit: Self.batch) }
        guard let resetRetention else { return expired }
        let moment = now - max(resetRetention, Times.resetSpan)
        let resets = try await inBatches(rest) { rows in try rows.removeResets(before: moment, limit: Self.batch) }
        return (expired.deleted + resets.deleted, expired.isMore || resets.isMore)
    }

    private func inBatches(
        _ rest: () async throws -> Void, _ body: @Sendable @escaping (any SecondFactorRows) throws -> Int
    ) async throws -> (deleted: Int, isMore: Bool) {
        var total = 0
        for _ in 0..<Self.rounds {
            // What a first look took is gone or still there: in both cases there may be more.
            let count = try await store.write { rows, former in max(try body(rows), former ?? 0) }
            total += count
            guard count >= Self.batch else { return (total, false) }
            try await rest()
        }
        return (total, true)
    }
}
