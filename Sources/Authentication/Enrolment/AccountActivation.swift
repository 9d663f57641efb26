import OstiaryProtocol

struct ActivationOutcome: Sendable {
    let account: Account
    let enrolment: Enrolment
    let news: [SessionNews]
    /// Those that the virtual server takes, for the E4.
    var offlineCodes: OfflineCodeLength?
}

/// Lets an account in, when its code was typed or none is asked for (protocol §5): it may log in from now on, its browser is logged in, and the person's other
/// devices are told. A headless account that was upgraded is let in like a new one; one that is new is let in without a login.
struct AccountActivation: Sendable {
    let derivation: SessionDerivation
    /// Names the notice of this device to each of the person's other accounts.
    let notice: NoticeID
    /// Who let it in.
    let actor: AuditActor

    func activate(_ enrolment: Enrolment, _ pending: Account, in rows: any AuthenticationRows, at now: Instant) throws -> ActivationOutcome {
        guard case .confirming(_, let finish) = enrolment.state else { throw Refusal.enrolmentUsed }
        guard enrolment.purpose.upgraded == nil || pending.state == .upgrading else { throw Refusal.enrolmentUsed }
        let logsIn = enrolment.purpose.asksSecondFactor
        var account = pending
        (account.state, account.activatedAt) = (.active, now)
        if logsIn { (account.lastLogin, account.hasActivationCache) = (now, true) }
        try rows.save(account)
        // The browser of a headless account stays as it was.
        let opened = logsIn ? try logInBrowser(of: enrolment, account, finish, in: rows, at: now) : nil
        let active = try enrolment.after(.activate(Enrolment.Activation(at: now, session: opened?.session.id)), at: now)
        try rows.save(active)
        let told = try noticeOthers(of: account, in: rows, at: now)
        let kind: AuditEntry.Kind = enrolment.purpose.upgraded == nil ? .accountActivated : .accountUpgraded
        try rows.record(AuditEntry(kind, server: account.server, account: account.id, by: actor, at: now))
        var news: [SessionNews] = []
        if let opened {
            if let replaced = opened.replaced { news.append(.ended(replaced)) }
            news.append(.about(opened.session, .loggedIn(account.id)))
        }
        news += told.map { .accountChanged($0) }
        return ActivationOutcome(account: account, enrolment: active, news: news)
    }

    private func logInBrowser(
        of enrolment: Enrolment, _ account: Account, _ finish: Enrolment.Finish, in rows: any AuthenticationRows, at now: Instant
    ) throws -> (session: Session, replaced: Session?) {
        let parameters = try rows.existing(account.server).parameters
        let login = Login(
            account: account.id, binding: nil, at: now, methods: .pin, verifiedAt: finish.verifiedAt ?? now, decision: [],
            deadline: now + (parameters.patience ?? ServerParameters.unwatchedLife), lastPing: now, lastStamp: Instant(0))
        return try SessionOpening(server: account.server, nonceHash: enrolment.nonceHash, derivation: derivation, actor: actor)
            .logIn(login, in: rows, at: now)
    }

    /// The person's older accounts at this server, each of which hears of the new device until it was shown there. A headless one is told nothing: it hears
    /// of notices in logins and pings.
    private func noticeOthers(of account: Account, in rows: any AuthenticationRows, at now: Instant) throws -> [AccountID] {
        guard let userID = account.userID else { return [] }
        let others = try rows.accounts(ofUser: userID, at: account.server).filter { $0.id != account.id && $0.state == .active && !$0.isHeadless }
        for other in others {
            try rows.add(StoredNotice(account: other.id, notice: DeviceNotice(.enrolled, id: notice, device: account.device, time: now)))
        }
        return others.map(\.id)
    }
}
