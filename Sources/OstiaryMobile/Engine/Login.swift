import Foundation
import OstiaryProtocol

/// What a login is about, as the server signed it (L2), and what ties the decision to it.
struct Question: Sendable {
    let rootHash: [UInt8]
    /// One key for the whole login (protocol §4).
    let ephemeral: EphemeralKey
    let requestHash: [UInt8]
    let body: [UInt8]
    let shown: L2

    func sessionHash(_ account: AccountID) -> [UInt8] { Transcript.session(requestHash: requestHash, shown: body, account: account) }
}

/// Login by code or link, and login to the app itself (protocol §6).
extension Engine {
    func login(_ id: Session.ID, by link: Encoded<LoginLink>, via: Via, at rootHash: [UInt8]) async throws(OstiaryError) {
        let accounts = try known().activeAccounts(at: rootHash)
        guard !accounts.isEmpty else { throw .noAccountsForServer }
        let question = try await ask(id, L1(link: link, via: via, accountID: nil, clientInfo: configuration.deviceName), at: rootHash)
        guard question.shown.purpose == .login, question.shown.sessionID == link.value.sessionID else { throw .serverAnswer }
        let offered = try selectable(accounts, question)
        flow?.farewell = { engine, abort in await engine.refuse(question, as: offered[0], abort) }
        mayReport(question, as: offered[0])
        let serverName = try known().server(rootHash)?.name ?? ""
        let logo = try await logo(id, question)
        try await becomeReady(id) { session in
            session.info = SessionInfo(question.shown, from: serverName)
            session.info.announceLogo = logo
        }
        let (account, userInput) = try await choose(id, question, offered)
        flow?.farewell = { engine, abort in await engine.refuse(question, as: account, abort) }
        mayReport(question, as: account)
        let outcome = try await approve(id, question, as: account, userInput: userInput)
        try loggedIn(id, outcome, sid: question.shown.sessionID, account: account.id)
    }

    /// No question but the second factor, and not even that while the server remembers the last one.
    func logInToApp(_ id: Session.ID, as account: StoredAccount) async throws(OstiaryError) {
        let rootHash = account.rootHash.bytes
        let question = try await ask(id, L1(link: nil, via: .app, accountID: account.id, clientInfo: configuration.deviceName), at: rootHash)
        guard question.shown.purpose == .app, question.shown.accountID ?? account.id == account.id else { throw .serverAnswer }
        flow?.farewell = { engine, abort in await engine.refuse(question, as: account, abort) }
        try await becomeReady(id) { session in
            session.info = SessionInfo(question.shown, from: self.shown(account).serverName)
            session.account = self.shown(account)
        }
        change(id) { $0.account = account.id }
        let outcome = try await approve(id, question, as: account, userInput: "")
        try loggedIn(id, outcome, sid: question.shown.sessionID, account: account.id)
    }

    private func ask(_ id: Session.ID, _ message: L1, at rootHash: [UInt8]) async throws(OstiaryError) -> Question {
        let ephemeral = try makeEphemeral()
        let exchanged = try await reaching(for: id) { () async throws(OstiaryError) in
            try await exchange(with: rootHash, ephemeral) { _ throws(OstiaryError) in message.encoded }
        }
        try checkNotAborted()
        let body = try body(of: exchanged, about: message.accountID, at: rootHash)
        guard let shown = try? L2(decoding: body) else { throw .serverAnswer }
        change(id) { $0.sid = shown.sessionID }
        return Question(rootHash: rootHash, ephemeral: ephemeral, requestHash: exchanged.request.hash, body: body, shown: shown)
    }

    /// The accounts that may answer: the one that the server selected, or all of this server.
    private func selectable(_ accounts: [StoredAccount], _ question: Question) throws(OstiaryError) -> [StoredAccount] {
        guard let selected = question.shown.accountID else { return accounts }
        guard let account = accounts.first(where: { $0.id == selected }) else { throw .accountUnknown }
        return [account]
    }

    /// The only account that can answer, where the second factor confirms as well; else the one that the person confirms with.
    private func choose(
        _ id: Session.ID, _ question: Question, _ offered: [StoredAccount]
    ) async throws(OstiaryError) -> (StoredAccount, String) {
        guard configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded, offered.count == 1,
            asksForSecondFactor(id, question, of: offered[0])
        else { return try await confirmLogin(id, question, offered) }
        link(id, to: offered[0])
        return (offered[0], "")
    }

    private func link(_ id: Session.ID, to account: StoredAccount) {
        change(id) { session in
            session.account = account.id
            session.shown.account = self.shown(account)
        }
    }

    private func confirmLogin(
        _ id: Session.ID, _ question: Question, _ offered: [StoredAccount]
    ) async throws(OstiaryError) -> (StoredAccount, String) {
        change(id) { $0.shown.state = .waitingForUserInput }
        let event = session(id).map { OstiaryEvent.confirmLogin($0.shown, accounts: offered.map { shown($0) }) }
        let input = try await wait(at: .confirming(offered.map(\.id), isEnrolment: false), telling: event)
        guard case .account(let chosen?, let userInput) = input, let account = offered.first(where: { $0.id == chosen }) else { throw .wrongOrder }
        link(id, to: account)
        return (account, userInput)
    }

    /// A server's first answer that somebody is logged in.
    func loggedIn(_ id: Session.ID, _ outcome: L6, sid: SessionID, account: AccountID) throws(OstiaryError) {
        try rename(account, to: outcome.userName)
        guard let account = try known().account(account) else { throw .accountDeleted }
        change(id) { session in
            session.sid = sid
            session.account = account.id
            session.lastSeen = ports.clock.monotonic
            session.shown.account = self.shown(account)
            session.shown.username = outcome.userName
            session.shown.webNonce = session.shown.isAppLogin ? outcome.webNonce : nil
            session.shown.pingTime = Int(outcome.pingTime)
            session.shown.state = .active
            session.shown.wasLoggedIn = true
        }
        try rememberSession(id)
        recordHistory(id)
        watchOverAppLogin(id)
        // Over before anybody hears of the login: whoever does may begin the next flow at once.
        if flow?.session == id { flow = nil }
        if let session = session(id) { emit(.sessionLogin(session.shown)) }
        tell(outcome.extensions.notices, to: account.id)
        keepAlive(id)
    }

    /// The server's word for the person, as they are called now.
    private func rename(_ account: AccountID, to name: String) throws(OstiaryError) {
        guard let old = stored?.account(account), old.username != name else { return }
        try write { (state) throws(OstiaryError) in state.setAccount(account) { $0.username = name } }
        if let new = stored?.account(account) { emit(.accountUpdated(shown(new))) }
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
