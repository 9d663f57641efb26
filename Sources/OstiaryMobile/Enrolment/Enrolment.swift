import Foundation
import OstiaryProtocol

// Enrolment: from a scanned link to an account that is logged in.
//
// Owns: the new device key, E1 to E4, waiting for the code (W1). Leaves to others: asking for PINs and setting one (SecondFactor/),
// taking back what came to nothing (Accounts/).
// Start reading at `Engine.enrol`, below.

/// What an enrolment is about, as the server signed it (E2), and what ties the phone's answer to it.
struct Enrolment: Sendable {
    let rootHash: [UInt8]
    let id: EnrolmentID
    /// The device key of the new account, or of the one that is upgraded: its name in the key store, and its public half.
    let keyName: String
    let deviceKey: [UInt8]
    /// Where `dsec` goes, if an instance is made.
    let secretName: String
    let ephemeral: EphemeralKey
    let shown: E2
    let hash: [UInt8]
    /// The headless account that it gives a second factor; nil for one that makes a new account.
    let upgraded: AccountID?

    /// devPk || enrolHash, what the attempts of an enrolment are bound to (protocol §7).
    var payload: [UInt8] { deviceKey + hash }

    /// What the new device says to it. The account that may come of it is none yet; one that is upgraded is.
    func line(session: Session.ID? = nil, patience: Double? = nil, waitsOutBusy: Bool = false) -> ServerLine {
        ServerLine(
            rootHash: rootHash, keyName: keyName, account: upgraded, ephemeral: ephemeral, session: session, patience: patience,
            waitsOutBusy: waitsOutBusy)
    }
}

/// Enrolment: from a scanned link to an account that is logged in (protocol §5).
extension Engine {
    /// - Parameter account: the headless account that gets a second factor; nil for a new account.
    func enrol(_ id: Session.ID, by link: EnrolLink, upgrading account: StoredAccount? = nil) async throws(OstiaryError) {
        let address = try check(link, upgrades: account != nil)
        let server = try await reaching(for: id) { () async throws(OstiaryError) in try await fetchBundle(of: link.rootHash, at: address) }
        let enrolment = try await claim(id, link, account)
        flow?.onAbort = { engine, abort in await engine.decline(enrolment, abort) }
        try await becomeReady(id) { session in
            session.info.serverName = server.verified.bundle.name
            session.enrolInfo = EnrolInfo(enrolment.shown, isUpgrade: account != nil)
            session.account = account.map { self.shown($0) }
        }
        try await confirmEnrol(id, enrolment)
        let made = try await make(id, enrolment)
        let kept = try account == nil ? keepMade(enrolment, made) : upgraded(by: enrolment)
        // An account that was there before stays, whatever becomes of its second factor.
        flow?.onAbort = nil
        if account == nil { flow?.onAbort = { engine, _ in engine.abandon(kept.id) } }
        change(id) { session in
            session.account = kept.id
            session.shown.account = self.shown(kept)
        }
        if made.state == .pending { showCode(id, of: kept) }
        try await awaitConfirmation(id, of: kept, isCodeShown: made.state == .pending)
    }

    /// What can be refused before anything is sent.
    private func check(_ link: EnrolLink, upgrades: Bool) throws(OstiaryError) -> ServerAddress {
        guard let address = ServerAddress(link.url) else { throw .serverNotAllowed }
        let state = try known()
        if let same = state.server(tag: Array(link.rootHash.prefix(4))), same.rootHash.bytes != link.rootHash { throw .serverIdentity }
        if configuration.singleAccount, !upgrades, !state.accounts.isEmpty { throw .singleAccount }
        return address
    }

    /// E1 and E2. The key's name is stored before the server hears of the key: the same link goes on with the same key.
    ///
    /// An account that is upgraded keeps its key: by it the server knows that this is the phone that has the account, so that the link is of use to no other.
    private func claim(_ id: Session.ID, _ link: EnrolLink, _ account: StoredAccount?) async throws(OstiaryError) -> Enrolment {
        let claim = try storeClaim(link, keyName: account == nil ? makeName("device") : nil)
        guard let keyName = account?.keyName ?? claim.keyName else { throw .keyStore }
        let deviceKey = try keyStore { (keys) throws(KeyStoreError) in
            do throws(KeyStoreError) { return try keys.publicKey(named: keyName) } catch {
                guard error == .unknownName, account == nil else { throw error }
                return try keys.makeDeviceKey(named: keyName)
            }
        }
        let message = E1(
            enrolID: link.enrolID, enrolSecret: link.enrolSecret, deviceKey: deviceKey, appInfo: PlainLine.made(of: configuration.appInfo),
            osInfo: PlainLine.made(of: configuration.deviceName))
        let ephemeral = try makeEphemeral()
        let line = ServerLine(rootHash: link.rootHash, account: account?.id, ephemeral: ephemeral, session: id)
        let exchanged = try await line.send(by: self) { (_, _) throws(OstiaryError) in message.encoded }
        try checkNotAborted()
        switch exchanged.status {
        case .refused, .linkOld, .sessionUnknown, .enrolUsed: throw .enrolmentExpired
        default: break
        }
        let shown = try line.accept(exchanged, as: E2.self, by: self).content
        try checkSubject(of: shown.value, account)
        return Enrolment(
            rootHash: link.rootHash, id: link.enrolID, keyName: keyName, deviceKey: deviceKey, secretName: claim.secretName,
            ephemeral: ephemeral, shown: shown.value, hash: Transcript.enrolment(requestHash: exchanged.request.hash, shown: shown.bytes),
            upgraded: account?.id)
    }

    /// A new account has a new id: a server that names one of ours, or of another server, would have it changed or deleted. An upgrade is of the account that
    /// its link names, and asks for a second factor.
    private func checkSubject(of shown: E2, _ account: StoredAccount?) throws(OstiaryError) {
        guard let account else {
            guard try known().account(shown.accountID) == nil else { throw .serverAnswer }
            return
        }
        guard shown.accountID == account.id, shown.secondFactor != .none else { throw .serverAnswer }
    }

    private func storeClaim(_ link: EnrolLink, keyName: String?) throws(OstiaryError) -> StoredClaim {
        let rootHash = StoredBytes(link.rootHash)
        let fresh = StoredClaim(
            enrolment: link.enrolID, rootHash: rootHash, keyName: keyName, secretName: makeName("dsec"), madeAt: ports.clock.wall)
        return try write { (state) throws(OstiaryError) in
            if let claim = state.claims.first(where: { $0.enrolment == link.enrolID && $0.rootHash == rootHash }) { return claim }
            state.claims.append(fresh)
            return fresh
        }
    }

    private func confirmEnrol(_ id: Session.ID, _ enrolment: Enrolment) async throws(OstiaryError) {
        let visualHash = configuration.hidesVisualHash ? nil : try await VisualHash.compute(enrolment.rootHash, ports.log)
        try checkNotAborted()
        change(id) { $0.shown.state = .waitingForUserInput }
        let state = try known()
        let accounts = state.shownAccounts.filter { $0.serverIdentity == Base64URL.encode(enrolment.rootHash) }
        let event = session(id).map { OstiaryEvent.confirmEnrol($0.shown, accounts: accounts, visualHash: visualHash) }
        _ = try await wait(at: .confirming([], isEnrolment: true), telling: event)
    }

    /// After E4: the secrets first, then the account that names them.
    private func keepMade(_ enrolment: Enrolment, _ made: E4) throws(OstiaryError) -> StoredAccount {
        let name = makeName("otp")
        let id = enrolment.shown.accountID
        try keyStore { (keys) throws(KeyStoreError) in try keys.store(made.otpKey, named: name) }
        let account = try write { (state) throws(OstiaryError) in
            state.setAccount(id) { account in
                account.state = .pending
                account.otpReference = made.otpReference
                account.otpSecretName = name
                account.offlineCodes = made.offlineCodes?.rawValue
            }
            return state.account(id)
        }
        guard let account else { throw .accountDeleted }
        note(offlineCodes: made.offlineCodes, by: id)
        emit(.accountAdded(shown(account)))
        return account
    }

    /// After E4 of an upgrade: the account has its code to show, and what it had before.
    private func upgraded(by enrolment: Enrolment) throws(OstiaryError) -> StoredAccount {
        guard let account = try known().account(enrolment.shown.accountID), account.upgrade != nil else { throw .accountDeleted }
        return account
    }

    /// What the server hears of an enrolment that the person stopped before it was made: it can be scanned again.
    private func decline(_ enrolment: Enrolment, _ abort: Flow.Abort?) async {
        guard let abort else { return }
        let decision: Decision =
            switch abort {
            case .denied(let notMe): notMe ? .notMe : .decline
            case .cancelled, .inputTimeout: .gaveUp
            }
        let message = E3(
            enrolHash: enrolment.hash, decision: decision, instanceID: nil, attemptID: nil, context: .firstSet, epoch: 0,
            secondFactorKey: nil, secondFactorSignature: nil)
        do throws(OstiaryError) {
            try await enrolment.line(patience: 15).tell(message, by: self)
        } catch {
            emit(.error(error, session: nil))
        }
    }
}

extension EnrolInfo {
    init(_ question: E2, isUpgrade: Bool) {
        displayName = question.displayName
        asksSecondFactor = question.secondFactor != .none
        self.isUpgrade = isUpgrade
        nsAccounts = question.serverAccounts.enumerated().map { ServerAccount(id: $0.offset, description: $0.element) }
    }
}

extension VisualHash {
    /// Takes 70 to 300 ms, away from the engine.
    @concurrent
    static func compute(_ rootHash: [UInt8], _ log: (any OstiaryLog)?) async throws(OstiaryError) -> VisualHash {
        log?.note(LogEntry(kind: .work, name: "visualHash", outcome: nil, session: nil))
        do throws(Argon2idError) {
            return VisualHash(try OstiaryProtocol.VisualHash(rootHash: rootHash))
        } catch {
            throw .lockedMemory
        }
    }
}
