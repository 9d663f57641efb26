import OstiaryProtocol

/// What a login is about, as the server signed it (L2), and what ties the decision to it.
struct Question: Sendable {
    /// What was asked about.
    enum Source: Sendable {
        case link(Encoded<LoginLink>, Via)
        case app(StoredAccount)
    }

    let source: Source
    let rootHash: [UInt8]
    /// One key for the whole login (protocol §4).
    let ephemeral: EphemeralKey
    let requestHash: [UInt8]
    let answer: Encoded<L2>
    /// The notices that each account was shown when the login began; the same in every copy of its decision, because a copy is the same bytes.
    let shownNotices: [AccountID: [NoticeID]]
    /// The key that an AppLogin names for tokens; as the notices, fixed when the login began.
    let tokenKey: TokenKey?

    var shown: L2 { answer.value }

    func acknowledged(by account: AccountID) -> [NoticeID] { shownNotices[account] ?? [] }

    /// What an account says to it.
    func line(of account: StoredAccount, session: Session.ID? = nil, patience: Double? = nil, waitsOutBusy: Bool = false) -> ServerLine {
        ServerLine(of: account, ephemeral: ephemeral, session: session, patience: patience, waitsOutBusy: waitsOutBusy)
    }

    func sessionHash(_ account: AccountID) -> [UInt8] {
        Transcript.session(requestHash: requestHash, shownHash: answer.shownHash, account: account)
    }

    /// Whether it is of the kind that `via` brought: only a login that waited is pushed, names its account, and asks for a number.
    func isWhatCame(by via: Via) -> Bool {
        let isPushed = via == .push
        return (shown.browser.binding == .push) == isPushed && shown.needsNumber == isPushed && (!isPushed || shown.accountMark != nil)
    }

    /// Whether the person is shown this and agrees before a second factor is asked, whatever the configuration says: what anybody may have sent,
    /// and what says something that is meant to be read. Otherwise a PIN would approve what nobody saw.
    var hasToBeConfirmed: Bool {
        switch shown.browser.binding {
        case .unboundLink, .qrStatic, .push: true
        case .returnCode, .qrDynamic, .app: !shown.announceInfo.isEmpty || shown.announcesLogo
        }
    }
}

/// Asking what a login is about, and asking again when that was changed meanwhile (protocol §4).
extension Engine {
    /// The most questions of one login: a text that goes on changing is not waited for.
    private static let mostQuestions = 4

    /// L1 and L2, with a fresh key.
    func look(at source: Question.Source, for id: Session.ID?, at rootHash: [UInt8]) async throws(OstiaryError) -> Question {
        let ephemeral = try makeEphemeral()
        var tokenKey: TokenKey?
        if case .app(let account) = source { tokenKey = try self.tokenKey(of: account.id) }
        let (line, message) =
            switch source {
            case .link(let link, let via):
                (ServerLine(rootHash: rootHash, ephemeral: ephemeral, session: id), L1(link: link, via: via, clientInfo: configuration.deviceName))
            // Only an AppLogin says who asks, and signs it.
            case .app(let account):
                (ServerLine(of: account, ephemeral: ephemeral, session: id), L1(appLoginOf: account.id, clientInfo: configuration.deviceName))
            }
        let shown = try await line.ask(message, for: L2.self, by: self)
        let notices = try known().activeAccounts(at: rootHash).map { ($0.id, shownNotices(of: $0.id)) }
        return Question(
            source: source, rootHash: rootHash, ephemeral: ephemeral, requestHash: shown.request.hash, answer: shown.content,
            shownNotices: Dictionary(notices) { first, _ in first }, tokenKey: tokenKey)
    }

    /// Goes through a login, and through it again with what it asks now when that was changed while it was being answered. Nothing was counted then.
    func following(_ body: (_ isFirst: Bool) async throws(OstiaryError) -> Void) async throws(OstiaryError) {
        for number in 1...Self.mostQuestions {
            do throws(OstiaryError) {
                return try await body(number == 1)
            } catch {
                guard error == .questionChanged, number < Self.mostQuestions else { throw error }
                flow?.onAbort = nil
                flow?.report = nil
                try checkNotAborted()
            }
        }
    }
}
