import Foundation
import OstiaryProtocol

// Login: from a scanned code, a link or the app itself to the server's word that somebody is logged in.
//
// Owns: what a login is about (L1, L2), whom it is confirmed with, and the decision (L5, L6). Leaves to others: the second factor
// (SecondFactor/), and all that follows (Presence/).
// Start reading here, then Question and LoginDecision.

/// Login by code or link, and login to the app itself (protocol §6).
extension Engine {
    /// - Parameters:
    ///   - only: the account that it waits for; nil for a code or a link, which any account may answer.
    ///   - scan: what one-time codes are made for while the server cannot be reached; nil for a login that takes none.
    func login(
        _ id: Session.ID, by link: Encoded<LoginLink>, via: Via, at rootHash: [UInt8], as only: AccountID? = nil, orCodeFor scan: ScannedLogin? = nil
    ) async throws(OstiaryError) {
        let accounts = try known().loginAccounts(at: rootHash).filter { only == nil || $0.id == only }
        guard !accounts.isEmpty else { throw try known().noLogin(at: [rootHash]) }
        if let scan { offerCodes(id, scan, of: accounts) }
        try await following { isFirst throws(OstiaryError) in
            let question = try await ask(id, .link(link, via), at: rootHash)
            guard question.shown.purpose == .login, question.shown.sessionID == link.value.sessionID, question.isWhatCame(by: via)
            else { throw .serverAnswer }
            let offered = try selectable(accounts, question)
            flow?.onAbort = { engine, abort in await engine.refuse(question, as: offered[0], abort) }
            mayReport(question, as: offered[0])
            try await show(id, question, isFirst: isFirst)
            let (account, answer) = try await choose(id, question, offered, isFirst: isFirst)
            flow?.onAbort = { engine, abort in await engine.refuse(question, as: account, abort) }
            mayReport(question, as: account)
            let outcome = try await approve(id, question, as: account, answer)
            let acknowledged = question.acknowledged(by: account.id)
            guard !outcome.isReturning else {
                return try await awaitBrowser(id, outcome, of: question.shown, account: account.id, after: acknowledged)
            }
            try await loggedIn(id, outcome, sid: question.shown.sessionID, account: account.id, after: acknowledged)
        }
    }

    /// No question but the second factor, and not even that while the server remembers the last one.
    func logInToApp(_ id: Session.ID, as account: StoredAccount) async throws(OstiaryError) {
        try await following { isFirst throws(OstiaryError) in
            let question = try await ask(id, .app(account), at: account.rootHash.bytes)
            // Nobody confirms it, so that nothing may be in it which has to be confirmed.
            guard question.shown.purpose == .app, question.shown.browser.binding == .app, question.shown.selects(account.id) == true,
                !question.hasToBeConfirmed, !question.shown.needsNumber
            else { throw .serverAnswer }
            flow?.onAbort = { engine, abort in await engine.refuse(question, as: account, abort) }
            let info = SessionInfo(question.shown, from: shown(account).serverName)
            if isFirst {
                try await becomeReady(id) { session in
                    session.info = info
                    session.account = self.shown(account)
                }
            } else {
                update(id) { $0.info = info }
            }
            change(id) { $0.account = account.id }
            let outcome = try await approve(id, question, as: account, LoginAnswer())
            guard !outcome.isReturning else { throw .serverAnswer }
            try await loggedIn(
                id, outcome, sid: question.shown.sessionID, account: account.id, after: question.acknowledged(by: account.id))
        }
    }

    private func ask(_ id: Session.ID, _ source: Question.Source, at rootHash: [UInt8]) async throws(OstiaryError) -> Question {
        let question = try await look(at: source, for: id, at: rootHash)
        try checkNotAborted()
        // A code that the person was given first has ended this login, also when the connection comes back.
        guard codes.settle(id) else { throw .cancelled }
        change(id) { session in
            session.sid = question.shown.sessionID
            session.shown.otpAvailable = false
        }
        return question
    }

    /// Until its decision is sent, this login is one that the page may hear of.
    private func mayReport(_ question: Question, as account: StoredAccount) {
        flow?.report = PageReport(
            session: question.shown.sessionID, offer: question.shown.offer, account: account, ephemeral: question.ephemeral)
    }

    /// What the login is about; what it was about before, when that was changed, is gone.
    private func show(_ id: Session.ID, _ question: Question, isFirst: Bool) async throws(OstiaryError) {
        var info = SessionInfo(question.shown, from: try known().server(question.rootHash)?.name ?? "")
        info.announceLogo = try await logo(id, question)
        let needsNumber = question.shown.needsNumber
        if isFirst {
            try await becomeReady(id) { [info] session in
                session.info = info
                session.needsNumber = needsNumber
            }
        } else {
            try checkNotAborted()
            update(id) { [info] session in
                session.info = info
                session.needsNumber = needsNumber
            }
        }
    }

    /// The accounts that may answer: the one that the server selected, or all of this server.
    private func selectable(_ accounts: [StoredAccount], _ question: Question) throws(OstiaryError) -> [StoredAccount] {
        guard question.shown.accountMark != nil else { return accounts }
        guard let account = accounts.first(where: { question.shown.selects($0.id) == true }) else { throw .accountNotOffered }
        return [account]
    }

    /// The only account that can answer, where the second factor confirms as well and nothing has to be read before; else the one that the person
    /// confirms with. What was changed while it was being answered is always confirmed.
    private func choose(
        _ id: Session.ID, _ question: Question, _ offered: [StoredAccount], isFirst: Bool
    ) async throws(OstiaryError) -> (StoredAccount, LoginAnswer) {
        guard isFirst, configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded, offered.count == 1, !question.hasToBeConfirmed,
            asksForSecondFactor(id, question, of: offered[0])
        else { return try await confirmLogin(id, question, offered) }
        link(id, to: offered[0])
        return (offered[0], LoginAnswer())
    }

    private func link(_ id: Session.ID, to account: StoredAccount) {
        change(id) { session in
            session.account = account.id
            session.shown.account = self.shown(account)
        }
    }

    func confirmLogin(
        _ id: Session.ID, _ question: Question, _ offered: [StoredAccount]
    ) async throws(OstiaryError) -> (StoredAccount, LoginAnswer) {
        change(id) { $0.shown.state = .waitingForUserInput }
        let event = session(id).map { OstiaryEvent.confirmLogin($0.shown, accounts: offered.map { shown($0) }) }
        let input = try await wait(
            at: .confirming(offered.map(\.id), isEnrolment: false, needsNumber: question.shown.needsNumber), telling: event)
        guard case .account(let chosen?, let answer) = input, let account = offered.first(where: { $0.id == chosen }) else { throw .wrongOrder }
        link(id, to: account)
        return (account, answer)
    }
}

extension SessionInfo {
    init(_ question: L2, from serverName: String) {
        self.serverName = serverName
        announceInfo = Dictionary(question.announceInfo.map { ($0.key, $0.text) }) { first, _ in first }
        serviceName = question.relyingParty.name
        serviceOrigin = question.relyingParty.origin
        browserLabel = question.browser.label
        browserCity = question.browser.city
        startedAt = question.browser.startedAt.seconds
        expiresAt = question.expiresAt.seconds
        binding =
            switch question.browser.binding {
            case .returnCode: .returnCode
            case .qrDynamic: .qrDynamic
            case .qrStatic: .qrStatic
            case .push: .push
            case .app: .app
            case .unboundLink: .unboundLink
            }
    }
}
