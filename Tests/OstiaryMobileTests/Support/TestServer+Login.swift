import Crypto
import OstiaryMobile
import OstiaryProtocol

extension TestServer {
    func show(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try L1(decoding: opened.message)
        let sid = message.link?.value.sessionID ?? SessionID(using: random)
        if let account = message.accountID {
            if let tombstone = tombstones[account] { return (.accountDeleted, tombstone) }
            guard try self.account(account).state == .active else { return (.accountPending, []) }
            sessions[sid] = LoginSession(isApp: true)
        }
        guard sessions[sid] != nil else { return (.sessionUnknown, []) }
        let isApp = message.link == nil
        let cached = message.accountID.map { caches[$0] != nil } ?? true
        let need = settings.secondFactorNeed == .needed && cached && (isApp || settings.pinTimeout > 0) ? .cacheAllowed : settings.secondFactorNeed
        let body = L2(
            sessionID: sid, purpose: isApp && !settings.saysLoginForApp ? .app : .login, accountID: message.accountID ?? settings.selectedAccount,
            relyingParty: RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop"), announceInfo: settings.announceInfo,
            logoHash: settings.logo.map { Array(SHA256.hash(data: $0)) },
            browser: BrowserFacts(binding: isApp ? .app : .qrStatic, label: "Firefox", city: "Ghent", startedAt: now), secondFactor: need,
            methods: settings.methods, serverNonce: random.bytes(32), secondFactorPrekey: offeredPrekey, expiresAt: now + 300
        ).encoded
        sessions[sid]?.offers.append((opened.ephemeral, opened.hash, body))
        return (.ok, body)
    }

    func decide(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<L5>(decoding: opened.message)
        let l5 = message.value
        guard let session = sessions[l5.sessionID] else { return (.sessionUnknown, []) }
        try message.verify(by: try key(account(l5.accountID).deviceKey))
        guard session.claimedBy ?? l5.accountID == l5.accountID else { return (.sessionTaken, []) }
        if let outcome = session.outcome { return outcome.unsigned == message.unsignedBytes ? (.ok, outcome.answer.encoded) : (.sessionOver, []) }
        guard let offer = session.offers.last(where: { $0.ephemeral == opened.ephemeral }),
            l5.sessionHash == Transcript.session(requestHash: offer.hash, shown: offer.body, account: l5.accountID)
        else { return (.refused, []) }
        userInputs.append(l5.userInput)
        guard l5.decision == .accept else {
            sessions[l5.sessionID]?.denial = l5.decision
            let answer = L6(result: .denied, sessionID: nil, pingTime: 0, userName: "")
            sessions[l5.sessionID]?.outcome = (message.unsignedBytes, answer)
            return (.ok, answer.encoded)
        }
        try checkFactor(l5)
        return (.ok, logIn(message, session, at: opened.sentAt).encoded)
    }

    private func logIn(_ message: Encoded<L5>, _ session: LoginSession, at stamp: Instant) -> L6 {
        let l5 = message.value
        let cache = settings.pinTimeout > 0 ? mintCache(l5.accountID, isSingleUse: false) : nil
        let answer = L6(
            result: .loggedIn, sessionID: l5.sessionID, pingTime: settings.pingTime, userName: "ada",
            webNonce: session.isApp ? Base64URL.encode(random.bytes(32)) : nil, cache: cache, extensions: Extensions(notices: settings.notices))
        settings.notices = []
        sessions[l5.sessionID]?.claimedBy = l5.accountID
        sessions[l5.sessionID]?.outcome = (message.unsignedBytes, answer)
        sessions[l5.sessionID]?.lastStamp = stamp
        return answer
    }

    private func checkFactor(_ l5: L5) throws {
        if l5.method == .cached {
            guard let cache = caches[l5.accountID], cache.token == l5.cache else { throw Status.secondFactorNeeded }
            if cache.isSingleUse { caches[l5.accountID] = nil }
        } else if !l5.method.isDisjoint(with: [.pin, .bio]) {
            let shown = ShownFactor(
                instance: try account(l5.accountID).instance, attempt: l5.attemptID, context: .verify, sessionHash: l5.sessionHash, method: l5.method,
                biometricAttempt: l5.attempt, secondFactorSignature: l5.secondFactorSignature, biometricSignature: l5.biometricSignature)
            try check(shown)
        } else if settings.secondFactorNeed != .none {
            throw Status.secondFactorNeeded
        }
    }

    /// The right PIN was shown: nothing counts as failed any more.
    func prove(_ id: InstanceID) {
        let highest = instances[id]?.highest ?? 0
        instances[id]?.proven = highest
        instances[id]?.pinProven = highest
        instances[id]?.withoutPIN = 0
        instances[id]?.penaltyUntil = 0
    }

    func ping(_ opened: OpenedRequest) async throws -> (Status, [UInt8]) {
        let message = try Encoded<Ping>(decoding: opened.message)
        let sid = message.value.sessionID
        guard let session = sessions[sid], let account = session.claimedBy else { return (.sessionUnknown, []) }
        if let tombstone = tombstones[account] { return (.accountDeleted, tombstone) }
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        sessions[sid]?.pings += 1
        if session.stop == nil, session.lastStamp >= opened.sentAt { sessions[sid]?.stop = .timeout }
        sessions[sid]?.lastStamp = opened.sentAt
        if sessions[sid]?.stop == nil { await hold(message.value.hold) }
        return (.ok, pingAnswer(sid).encoded)
    }

    private func pingAnswer(_ sid: SessionID) -> PingAnswer {
        let notices = Extensions(notices: settings.notices)
        settings.notices = []
        if let reason = sessions[sid]?.stop { return PingAnswer(state: .stopped, reason: reason, pingTime: 0, extensions: notices) }
        return PingAnswer(state: .loggedIn, reason: .none, pingTime: settings.pingTime, extensions: notices)
    }

    func stop(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<Stop>(decoding: opened.message)
        guard let session = sessions[message.value.sessionID], let account = session.claimedBy else { return (.sessionUnknown, []) }
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        sessions[message.value.sessionID]?.stop = message.value.reason
        if session.isApp { caches[account] = nil }
        return (.ok, pingAnswer(message.value.sessionID).encoded)
    }
}
