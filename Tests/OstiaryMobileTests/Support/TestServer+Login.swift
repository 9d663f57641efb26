import Crypto
import OstiaryMobile
import OstiaryProtocol

extension TestServer {
    func show(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<L1>(decoding: opened.message)
        var sid = message.value.link?.value.sessionID
        if let account = message.value.accountID {
            if let tombstone = tombstones[account] { return (.accountDeleted, tombstone) }
            try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
            guard try self.account(account).state == .active else { return (.accountPending, []) }
            let own = SessionID(using: random)
            sessions[own] = LoginSession(isApp: true)
            sid = own
        }
        guard let sid, let session = sessions[sid] else { return (.sessionUnknown, []) }
        guard session.outcome == nil else { return (.sessionOver, []) }
        guard session.claimedBy == nil || session.waitsFor != nil else { return (.sessionTaken, []) }
        return (.ok, answer(message.value, sid, session, opened).bytes)
    }

    private func answer(_ message: L1, _ sid: SessionID, _ session: LoginSession, _ opened: OpenedRequest) -> Encoded<L2> {
        let isApp = message.link == nil
        let isTapped = !isApp && message.via == .link && settings.returnURL != nil
        let cached = message.accountID.map { caches[$0] != nil } ?? true
        let need = settings.secondFactorNeed == .needed && cached && (isApp || settings.pinTimeout > 0) ? .cacheAllowed : settings.secondFactorNeed
        let binding = isApp ? settings.bindingForApp : isTapped ? .returnCode : session.waitsFor != nil ? .push : settings.binding
        let account =
            settings.namesAnotherAccountForApp ? AccountID(using: random) : message.accountID ?? session.waitsFor ?? settings.selectedAccount
        let body = L2(
            sessionID: sid, purpose: isApp && !settings.saysLoginForApp ? .app : .login, account: account,
            relyingParty: RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop"), announceInfo: settings.announceInfo,
            logoHash: settings.logo.map { Array(SHA256.hash(data: $0)) },
            browser: BrowserFacts(binding: binding, label: "Firefox", city: "Ghent", startedAt: now),
            needsNumber: session.waitsFor != nil, returnURL: isTapped ? settings.returnURL ?? "" : "", secondFactor: need, methods: settings.methods,
            serverNonce: random.bytes(32),
            secondFactorPrekey: offeredPrekey, flags: settings.isOwnLogo ? L2.ownLogo : 0, expiresAt: now + 300)
        if isTapped || tapsEverything { tapped.insert(sid) }
        return Encoded(body) { shownHash in
            Encoded(
                Offer(
                    madeAt: now, binding: binding, secondFactor: need, methods: settings.methods, asked: session.asked, requestHash: opened.hash,
                    shownHash: shownHash, for: Offer.Place(session: sid, ephemeral: opened.ephemeral), sealedBy: offerKey))
        }
    }

    /// What the phone brings back of its L2, if it is still what is asked.
    func checkOffer(_ offer: Encoded<Offer>?, of sid: SessionID?, for account: AccountID, _ sessionHash: [UInt8], by ephemeral: [UInt8]) throws {
        guard let offer, let sid, offer.isGenuine(for: Offer.Place(session: sid, ephemeral: ephemeral), key: offerKey)
        else { throw Status.refused }
        guard let session = sessions[sid] else { throw Status.sessionUnknown }
        guard offer.value.asked == session.asked else { throw Status.changed }
        let value = offer.value
        guard sessionHash == Transcript.session(requestHash: value.requestHash, shownHash: value.shownHash, account: account)
        else { throw Status.refused }
        guard session.claimedBy ?? account == account else { throw Status.sessionTaken }
        sessions[sid]?.claimedBy = account
    }

    func decide(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<L5>(decoding: opened.message)
        let l5 = message.value
        guard let session = sessions[l5.sessionID] else { return (.sessionUnknown, []) }
        try message.verify(by: try key(account(l5.accountID).deviceKey))
        guard session.claimedBy ?? l5.accountID == l5.accountID else { return (.sessionTaken, []) }
        if let outcome = session.outcome { return outcome.unsigned == message.unsignedBytes ? (.ok, outcome.answer.encoded) : (.sessionOver, []) }
        try checkOffer(l5.offer, of: l5.sessionID, for: l5.accountID, l5.sessionHash, by: opened.ephemeral)
        try acknowledge(l5.extensions)
        userInputs.append(l5.userInput)
        tokenKeys.append(try l5.extensions.tokenKey())
        guard l5.decision == .accept else {
            sessions[l5.sessionID]?.denial = l5.decision
            let answer = L6(result: .denied, sessionID: nil, pingTime: 0, userName: "")
            sessions[l5.sessionID]?.outcome = (message.unsignedBytes, answer)
            return (.ok, answer.encoded)
        }
        if let refused = checkNumber(message) { return refused }
        try checkFactor(l5)
        return (.ok, logIn(message, session, at: opened.sentAt).encoded)
    }

    /// Taken with the key of the login only, as the offer asks for it.
    func note(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<L7>(decoding: opened.message)
        let l7 = message.value
        guard let session = sessions[l7.sessionID] else { return (.sessionUnknown, []) }
        try message.verify(by: try key(account(l7.accountID).deviceKey))
        guard session.outcome == nil else { return (.sessionOver, []) }
        let place = Offer.Place(session: l7.sessionID, ephemeral: opened.ephemeral)
        guard let offer = l7.offer, offer.isGenuine(for: place, key: offerKey) else { return (.refused, []) }
        sessions[l7.sessionID]?.reports.append(l7)
        return (.ok, [])
    }

    private func logIn(_ message: Encoded<L5>, _ session: LoginSession, at stamp: Instant) -> L6 {
        let l5 = message.value
        let cache = settings.pinTimeout > 0 ? mintCache(l5.accountID, isSingleUse: false) : nil
        let isReturning = settings.returnURL != nil && !session.isApp
        let answer = L6(
            result: .loggedIn, sessionID: l5.sessionID, pingTime: settings.pingTime, userName: "ada",
            webNonce: session.isApp ? Base64URL.encode(random.bytes(32)) : nil,
            returnCode: tapped.contains(l5.sessionID) ? settings.returnCode : nil, cache: cache,
            flags: (isReturning ? LoginFlags.returning : 0) | LoginFlags.offlineCodes(settings.offlineCodes),
            extensions: Extensions(notices: settings.notices))
        sessions[l5.sessionID]?.claimedBy = l5.accountID
        sessions[l5.sessionID]?.isReturning = isReturning
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
        guard let session = sessions[sid], session.outcome != nil, let account = session.claimedBy else { return (.sessionUnknown, []) }
        if let tombstone = tombstones[account] { return (.accountDeleted, tombstone) }
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        sessions[sid]?.pings += 1
        try acknowledge(message.value.extensions)
        holds.append(message.value.hold)
        if session.stop == nil, session.lastStamp >= opened.sentAt { sessions[sid]?.stop = .timeout }
        sessions[sid]?.lastStamp = opened.sentAt
        if sessions[sid]?.stop == nil, !session.hasReturned { await hold(message.value.hold) }
        sessions[sid]?.hasReturned = false
        return (.ok, pingAnswer(sid).encoded)
    }

    private func pingAnswer(_ sid: SessionID) -> PingAnswer {
        let notices = Extensions(notices: settings.notices)
        let codes = LoginFlags.offlineCodes(settings.offlineCodes)
        if let reason = sessions[sid]?.stop { return PingAnswer(state: .stopped, reason: reason, pingTime: 0, flags: codes, extensions: notices) }
        return PingAnswer(
            state: .loggedIn, reason: .none, pingTime: settings.pingTime,
            flags: (sessions[sid]?.isReturning == true ? LoginFlags.returning : 0) | (somethingWaits(sid) ? LoginFlags.waiting : 0) | codes,
            extensions: notices)
    }

    /// What the phone showed goes.
    private func acknowledge(_ extensions: Extensions) throws {
        let shown = try extensions.shownNotices()
        acknowledged.append(shown)
        settings.notices.removeAll { shown.contains($0.id) }
    }

    func stop(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<Stop>(decoding: opened.message)
        guard let session = sessions[message.value.sessionID], session.outcome != nil, let account = session.claimedBy
        else { return (.sessionUnknown, []) }
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        try acknowledge(message.value.extensions)
        sessions[message.value.sessionID]?.stop = message.value.reason
        if session.isApp { caches[account] = nil }
        return (.ok, pingAnswer(message.value.sessionID).encoded)
    }
}
