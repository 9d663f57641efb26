import OstiaryProtocol

/// Enrolment, from the invitation to the account that may log in (protocol §5).
package struct EnrolmentService: Sendable {
    let store: any AuthenticationStore
    let keyring: any ServerKeyring
    let events: any SessionEvents
    let secondFactor: SecondFactorClient
    let random: any RandomSource
    let witness: any ClockWitness

    /// - Parameter witness: asked before a phone is told that the ten minutes of its account are over.
    package init(
        store: any AuthenticationStore, keyring: any ServerKeyring, events: any SessionEvents, secondFactor: SecondFactorClient,
        random: any RandomSource, witness: any ClockWitness = NoWitness()
    ) {
        self.store = store
        self.keyring = keyring
        self.events = events
        self.secondFactor = secondFactor
        self.random = random
        self.witness = witness
    }

    /// getQrEnrol: an invitation for the browser that has the nonce. It takes the place of a former one, also of one that a phone has read but not
    /// finished. While an account waits for its code there is no other, unless the person before its page gives that account up: then it is removed. A page
    /// that is opened meanwhile asks for the code from then on, in the place of the page before it.
    /// - Parameters:
    ///   - origin: where phones reach this server.
    ///   - actor: who invites.
    /// - Throws: `UnknownServer`, `EnrolmentStartError`.
    package func start(
        _ start: EnrolmentStart, at server: ServerID, origin: String, by actor: AuditActor, now: Instant
    ) async throws -> StartedEnrolment {
        try start.check()
        let keys = try await keyring.keys(of: server)
        let (id, secret) = (EnrolmentID(using: random), random.bytes(16))
        let stream = keys.derivation.stream(nonceHash: start.nonce.hash)
        let outcome = try await store.write { rows, former -> StartOutcome in
            // Begun by the first look.
            if let former, try rows.enrolment(id) != nil { return former }
            let (userID, displayName) = try names(of: start, at: server, in: rows)
            let enrolment = Enrolment(
                id: id, server: server, secretHash: SHA(secret), nonceHash: start.nonce.hash, stream: stream, userID: userID,
                displayName: displayName, purpose: start.purpose, page: start.page, expiresAt: now + Enrolment.life)
            guard try rows.pointer(nonceHash: start.nonce.hash, of: server)?.kind != .web else { throw EnrolmentStartError.webNonce }
            let last = try rows.enrolment(nonceHash: start.nonce.hash, of: server)
            if let handed = last?.handedOver(to: start, at: now) {
                try rows.save(handed)
                return .handedOver(handed)
            }
            let others = try unfinishedUpgrades(beside: start, in: rows, at: now)
            let givenUp = try last.flatMap { try replace($0, by: start, actor, in: rows, at: now) }
            let overtaken = try overtake(others, in: rows, at: now)
            try rows.save(enrolment)
            try rows.record(AuditEntry(.enrolmentStarted, server: server, account: start.purpose.upgraded, by: actor, at: now))
            return .began(ended: overtaken + (givenUp.map { [$0] } ?? []))
        }
        switch outcome {
        case .began(let ended): for each in ended { tell(each) }
        case .handedOver(let enrolment):
            tell(enrolment)
            throw EnrolmentStartError.confirming
        }
        let link = EnrolLink(rootHash: keys.root.hash, enrolID: id, enrolSecret: secret, url: origin)
        return StartedEnrolment(link: link, upgraded: start.purpose.upgraded, expiresAt: now + Enrolment.life, stream: stream)
    }

    /// Ends the enrolment of before, and removes the account that waited for its code.
    /// - Returns: the enrolment, if there was such an account.
    private func replace(
        _ last: Enrolment, by start: EnrolmentStart, _ actor: AuditActor, in rows: any AuthenticationRows, at now: Instant
    ) throws -> Enrolment? {
        let ended = try last.replaced(by: start, at: now)
        // Also one whose ten minutes are over, and that nobody has removed yet.
        guard case .confirming(let claim, _) = last.state else {
            try rows.save(ended)
            return nil
        }
        // Who blocked it wants neither this phone nor another of that page.
        guard try start.isNewest || rows.account(claim.account)?.isBlocked != true else { throw EnrolmentStartError.accountBlocked }
        try Confirmation.giveUp(claim, of: last, by: actor, in: rows, at: now) { try rows.save(ended) }
        return ended
    }

    /// The newest enrolment of a nonce, as it is now; nil when there is none.
    package func newest(of nonce: SessionNonce, at server: ServerID, now: Instant) async throws -> Enrolment? {
        try await store.read { rows in
            guard let enrolment = try rows.enrolment(nonceHash: nonce.hash, of: server) else { return nil }
            guard case .confirming(let claim, _) = enrolment.state, now > enrolment.expiresAt else { return enrolment.settled(at: now) }
            return enrolment.settled(at: now, isBlocked: try rows.account(claim.account)?.isBlocked == true)
        }
    }

    /// Whether a phone that scans this link now is let in.
    package func isOpen(_ link: EnrolLink, at server: ServerID, now: Instant) async throws -> Bool {
        let enrolment = try await store.read { rows in try rows.enrolment(link.enrolID) }
        guard let enrolment, enrolment.server == server, matches(SHA(link.enrolSecret), enrolment.secretHash) else { return false }
        return enrolment.settled(at: now).state == .open
    }

    func tell(_ enrolment: Enrolment) { events.publish(.about(enrolment)) }
}

extension SessionNews {
    /// How far an enrolment is, for its browser and for the phone that has it.
    static func about(_ enrolment: Enrolment) -> SessionNews {
        var topics: [EventTopic] = [.stream(enrolment.stream)]
        if let claim = enrolment.claim { topics.append(.account(claim.account)) }
        return SessionNews(.enrolment(enrolment.progress), topics: topics)
    }
}

/// What became of the enrolment of before when another one was to begin.
private enum StartOutcome: Sendable {
    /// - ended: those that it took the place of, and of whose phones or pages somebody waits.
    case began(ended: [Enrolment])
    /// It goes on, before another page.
    case handedOver(Enrolment)
}

package struct StartedEnrolment: Sendable {
    package let link: EnrolLink
    /// The headless account that it is to make a full one.
    package let upgraded: AccountID?
    package let expiresAt: Instant
    package let stream: StreamID

    /// What a code shows, and a link has behind its `#`.
    package var code: [UInt8] { upgraded.map { UpgradeLink(link, of: $0).encoded } ?? link.encoded }
}
