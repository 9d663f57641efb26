import OstiaryProtocol

/// One code that was typed, inside a transaction: counted first, then compared, in the order of protocol §9. What was counted is saved with what comes of it.
struct OfflineAdmission: Sendable {
    let text: String
    let nonceHash: [UInt8]
    let page: [UInt8]?
    let server: ServerID
    let keys: ServerKeys
    let actor: AuditActor
    /// Sixteen random bytes of this call: a second look finds by them whether the first was kept.
    let mark: [UInt8]

    enum Outcome: Sendable {
        case loggedIn(Session, Login, AccountFacts)
        case returning(Session)
        /// So many tries are left of the session.
        case wrong(left: Int)
    }

    /// A try that counts, and is not saved yet.
    private struct CountedTry {
        let session: Session
        let tries: OfflineTries
        let failures: OfflineFailures
    }

    /// - Throws: `OfflineCodeRefusal` of what was not counted, `UnknownServer`.
    func take(in rows: any AuthenticationRows, after former: Outcome?, at now: Instant) throws -> Outcome {
        // Counted, and compared, by the first look.
        if let former, try !rows.spend(mark, until: now + PhoneRequest.memory) { return former }
        guard let length = try rows.existing(server).parameters.offlineCodes else { throw OfflineCodeRefusal.notOffered }
        let typed: TypedOfflineCode
        do { typed = try TypedOfflineCode(text, length: length) } catch { throw OfflineCodeRefusal.notACode(error) }
        let counted = try counted(typed, in: rows, at: now)
        if former == nil { _ = try rows.spend(mark, until: now + PhoneRequest.memory) }
        let account = try rows.account(otpReference: typed.reference, at: server)
        guard let interval = try interval(of: typed, account, counted.session, length, at: now), let account, account.isUsable,
            let outcome = try logIn(account, in: interval, by: counted, in: rows, at: now)
        else { return try wrong(counted, in: rows, at: now) }
        return outcome
    }

    /// The session, with one try less of it, of the reference and of the virtual server. Nothing was compared yet.
    private func counted(_ typed: TypedOfflineCode, in rows: any AuthenticationRows, at now: Instant) throws -> CountedTry {
        let session = try session(in: rows, at: now)
        let counted: Session
        do { counted = try session.after(.tryCode, at: now) } catch { throw error == .spent ? OfflineCodeRefusal.sessionSpent : .noSession }
        guard !session.asksMoreThanCodes else { throw OfflineCodeRefusal.notEnough }
        let tries = try rows.offlineTries(of: typed.reference, at: server) ?? OfflineTries(server: server, reference: typed.reference)
        let failures = try rows.offlineFailures(at: server) ?? OfflineFailures(server: server, since: now, count: 0)
        if let seconds = [tries.wait(at: now), failures.wait(at: now)].compactMap({ $0 }).max() {
            throw OfflineCodeRefusal.tooMany(seconds: seconds)
        }
        return CountedTry(session: counted, tries: tries.counted(at: now), failures: failures.counted(at: now))
    }

    private func session(in rows: any AuthenticationRows, at now: Instant) throws -> Session {
        guard let pointer = try rows.pointer(nonceHash: nonceHash, of: server), let session = try rows.session(pointer.session),
            page == nil || session.page.map({ matches($0.cookieHash, page ?? []) }) == true
        else { throw OfflineCodeRefusal.noSession }
        return session.settled(at: now)
    }

    /// The interval whose code it is, by this server's clock; nil when it is none of the two. Both are computed, of nobody as well.
    private func interval(
        of typed: TypedOfflineCode, _ account: Account?, _ session: Session, _ length: OfflineCodeLength, at now: Instant
    ) throws -> UInt64? {
        let key = SecretBytes(try account?.otpKey.bytes() ?? keys.derivation.keyOfNobody(typed.reference))
        let current = OfflineCode.interval(at: now)
        var found: UInt64?
        for interval in [current - min(current, 1), current] {
            let code = OfflineCode(
                reference: typed.reference, key: key, session: OfflineSession(serverTag: keys.root.tag, id: session.id), interval: interval,
                length: length)
            if code.matches(typed) { found = interval }
        }
        return found
    }

    /// Nil when the session is not for this account.
    private func logIn(
        _ account: Account, in interval: UInt64, by counted: CountedTry, in rows: any AuthenticationRows, at now: Instant
    ) throws -> Outcome? {
        let session = counted.session
        let login = Login(
            account: account.id, binding: nil, isOffline: true, at: now, methods: [], verifiedAt: now,
            decision: Self.decision(session.id, account.otpReference, interval), deadline: now + ServerParameters.unwatchedLife, lastPing: now,
            lastStamp: Instant(0))
        let code = keys.derivation.returnCode(of: session.id, account: account.id, decision: login.decision)
        guard let accepted = try? session.after(.typeCode(login, codeHash: code.hash), at: now) else { return nil }
        var known = account
        if accepted.login != nil {
            known.lastLogin = now
            known.hasActivationCache = false
            try rows.save(known)
        }
        try rows.save(accepted)
        try rows.save(counted.tries)
        try rows.save(counted.failures.takenBack)
        try rows.record(AuditEntry(.loginByOfflineCode, server: server, account: account.id, by: actor, at: now))
        return accepted.login == nil ? .returning(accepted) : .loggedIn(accepted, login, AccountFacts(known))
    }

    private func wrong(_ counted: CountedTry, in rows: any AuthenticationRows, at now: Instant) throws -> Outcome {
        try rows.save(counted.session)
        try rows.save(counted.tries)
        try rows.save(counted.failures)
        if counted.failures.pauses { try rows.record(AuditEntry(.offlineCodesPaused, server: server, by: .server, at: now)) }
        return .wrong(left: Int(Session.mostCodes - counted.session.codesTried))
    }

    /// SHA(sid || otpRef || T), in the place of SHA(L5 without devSig).
    static func decision(_ session: SessionID, _ reference: UInt32, _ interval: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        session.write(to: &writer)
        writer.u32(reference)
        writer.u64(interval)
        return SHA(writer.bytes)
    }
}

extension Account {
    fileprivate var isUsable: Bool { (try? checkMayLogIn()) != nil }
}

extension SessionDerivation {
    /// What a code is compared under whose reference names nobody, so that it takes as long.
    fileprivate func keyOfNobody(_ reference: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.u32(reference)
        return MAC(key: sidKey, .otp, writer.bytes)
    }
}
