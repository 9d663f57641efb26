import OstiaryProtocol

extension TranscriptMaker {
    /// E1, the first PIN, E3.
    /// - Returns: the confirmation code.
    func enrol() throws -> String {
        let begin = TranscriptServer.begin
        let ephemeral = try ephemeral("enrolEphemeral")
        let link = EnrolLink(
            rootHash: server.root.hash, enrolID: try identifier("enrolId"), enrolSecret: try secret("enrolSecret"), url: "https://login.example")
        derived["enrolLink"] = link.encoded
        let e1 = E1(
            enrolID: link.enrolID, enrolSecret: link.enrolSecret, deviceKey: devicePublicKey, appInfo: "Example 1.0", osInfo: "A phone"
        ).encoded
        let request = try seal(e1, ephemeral, at: begin)
        let e2 = E2(
            accountID: account, displayName: "Ada at work", serverAccounts: [], secondFactor: .needed, pinPolicy: .standard,
            serverShare: try secret("srvShare"), secondFactorPrekey: secondFactor.prekey
        ).encoded
        try add("E1", e1, request, e2)
        let hash = Transcript.enrolment(requestHash: request.hash, shown: e2)
        derived["enrolHash"] = hash
        let payload = devicePublicKey + hash
        let first = Try(
            context: .firstSet, id: try identifier("enrolAttemptId"),
            sessionHash: Transcript.operation(.firstSet, instance: instance, epoch: 1, payload: payload), payload: payload, sequence: 0,
            tries: Tries(failed: 0, most: 5, wait: 0, withoutPINLeft: Tries.unlimited))
        try attempt("M1 of the first PIN", first, of: "enrol", ephemeral, at: begin + 20)
        let signature = edwardsSignature(
            secondFactorMaster, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: instance, attempt: first.id, context: .firstSet, sessionHash: first.sessionHash, evaluationKey: key.publicKey,
                secondFactorKey: secondFactorKey))
        let e3 = try Encoded(
            E3(
                enrolHash: hash, decision: .accept, instanceID: instance, attemptID: first.id, context: .firstSet, epoch: 1,
                secondFactorKey: secondFactorKey, secondFactorSignature: signature), signedBy: sign
        ).bytes
        let e4 = E4(state: .pending, otpReference: 7, otpKey: try secret("otpKey")).encoded
        try add(
            "E3", e3, try seal(e3, ephemeral, at: begin + 22), e4,
            call: proof(first, secondFactorKey: secondFactorKey, signature: signature, lastPIN: begin + 22, at: begin + 22))
        return ConfirmationCode(enrolHash: hash).description
    }

    /// The session that the nonce names, as its code says it, and L1, the PIN, L5.
    func logIn() throws {
        let begin = TranscriptServer.begin + 300
        let ephemeral = try ephemeral("loginEphemeral")
        let sidKey = try secret("sidKey")
        derived["nonceHash"] = Transcript.nonce(Self.nonce)
        let session = try session(of: sidKey)
        let link = Encoded(
            LoginLink(
                serverTag: server.root.tag, sessionID: session, issuedAt: UInt32(begin.seconds), frame: 2, binding: .qrDynamic,
                qrSecret: MAC(key: sidKey, .qr, session.bytes)))
        derived["loginLink"] = link.bytes
        let l1 = L1(link: link, via: .scan, clientInfo: "Example 1.0").encoded
        let request = try seal(l1, ephemeral, at: begin)
        let l2 = try shown(session, request, ephemeral, sidKey)
        try add("L1", l1, request, l2.bytes)
        let hash = Transcript.session(requestHash: request.hash, shownHash: l2.shownHash, account: account)
        derived["sessHash"] = hash
        let login = Try(
            context: .verify, id: try identifier("loginAttemptId"), sessionHash: hash, about: (session: session, offer: l2.value.offer), sequence: 1,
            tries: Tries(failed: 1, most: 5, wait: 0, withoutPINLeft: Tries.unlimited))
        try attempt("M1 of the login", login, of: "login", ephemeral, at: begin + 10)
        let signature = edwardsSignature(
            secondFactorMaster, .secondFactorProof,
            Transcript.secondFactorProof(instance: instance, attempt: login.id, context: .verify, sessionHash: hash))
        let l5 = try Encoded(
            L5(
                sessionID: session, sessionHash: hash, accountID: account, attemptID: login.id, decision: .accept, method: .pin,
                secondFactorSignature: signature, offer: l2.value.offer), signedBy: sign
        ).bytes
        let l6 = L6(result: .loggedIn, sessionID: session, pingTime: 300, userName: "Ada at work").encoded
        try add(
            "L5", l5, try seal(l5, ephemeral, at: begin + 12), l6,
            call: proof(login, signature: signature, lastPIN: begin + 12, at: begin + 12))
    }

    private func session(of sidKey: [UInt8]) throws -> SessionID {
        var named = ByteWriter()
        named.raw(Transcript.nonce(Self.nonce))
        named.u32(0)
        guard let session = SessionID(Array(MAC(key: sidKey, .sid, named.bytes).prefix(16))) else { throw MissingField(name: "sid") }
        derived["sid"] = session.bytes
        return session
    }

    private func shown(_ session: SessionID, _ request: SealedRequest, _ ephemeral: EphemeralKey, _ sidKey: [UInt8]) throws -> Encoded<L2> {
        let l2 = L2(
            sessionID: session, purpose: .login, account: nil,
            relyingParty: RelyingParty(name: "Shop", origin: "https://shop.example", clientID: ""),
            announceInfo: [Announcement(key: "Amount", text: "12 €")],
            browser: BrowserFacts(binding: .qrDynamic, label: "Firefox", city: "", startedAt: request.sentAt), secondFactor: .needed,
            methods: [.pin, .bio], serverNonce: try secret("sN"), secondFactorPrekey: secondFactor.prekey, expiresAt: request.sentAt + 300)
        return Encoded(l2) { shownHash in
            Encoded(
                Offer(
                    madeAt: request.sentAt, binding: .qrDynamic, secondFactor: .needed, methods: [.pin, .bio], asked: 0, requestHash: request.hash,
                    shownHash: shownHash, for: Offer.Place(session: session, ephemeral: ephemeral.publicKey), sealedBy: sidKey))
        }
    }
}
