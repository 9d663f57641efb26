import OstiaryMobile
import OstiaryProtocol

extension TestServer {
    func claim(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try E1(decoding: opened.message)
        guard var enrolment = enrolments[message.enrolID], enrolment.secret == message.enrolSecret else { return (.refused, []) }
        guard !enrolment.isUsed, enrolment.claim.map({ $0.deviceKey == message.deviceKey }) ?? true else { return (.enrolUsed, []) }
        if let upgraded = enrolment.upgrades {
            guard accounts[upgraded]?.deviceKey == message.deviceKey, accounts[upgraded]?.isHeadless == true else { return (.enrolUsed, []) }
        }
        let account = enrolment.upgrades ?? enrolment.claim?.account ?? AccountID(using: random)
        let share = shares[account] ?? random.bytes(32)
        shares[account] = share
        let hasFactor = settings.enrolsWithSecondFactor || enrolment.upgrades != nil
        let body = E2(
            accountID: account, displayName: "ada@example", serverAccounts: ["ada on a tablet"], secondFactor: hasFactor ? .needed : .none,
            pinPolicy: .standard, serverShare: hasFactor ? share : nil, secondFactorPrekey: hasFactor ? offeredPrekey : nil
        ).encoded
        enrolment.claim = (message.deviceKey, account, Transcript.enrolment(requestHash: opened.hash, shown: body), opened.ephemeral)
        enrolments[message.enrolID] = enrolment
        return (.ok, body)
    }

    func finish(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<E3>(decoding: opened.message)
        let e3 = message.value
        guard let (id, enrolment) = enrolments.first(where: { $0.value.claim?.ephemeral == opened.ephemeral }), let claim = enrolment.claim,
            claim.hash == e3.enrolHash
        else { return (.refused, []) }
        try message.verify(by: try key(claim.deviceKey))
        guard e3.decision == .accept else {
            enrolments[id]?.claim = nil
            declines.append(e3.decision)
            return (.ok, [])
        }
        guard !mishaps.isSecondFactorDown else { return (.secondFactorUnavailable, []) }
        if enrolment.upgrades == nil ? accounts[claim.account] == nil : accounts[claim.account]?.upgrading == nil {
            guard !enrolment.isUsed else { return (.enrolUsed, []) }
            try makeAccount(e3, claim.deviceKey, claim.account, claim.hash)
        }
        enrolments[id]?.isUsed = true
        if settings.skipsConfirmation { confirmAccounts() }
        let isPending = accounts[claim.account]?.state != .active || accounts[claim.account]?.upgrading != nil
        let state = isPending ? EnrolmentState.pending : .active
        guard let otp = accounts[claim.account]?.otp else { return (.refused, []) }
        let hasFactor = settings.enrolsWithSecondFactor || enrolment.upgrades != nil
        let flags = LoginFlags.offlineCodes(hasFactor ? settings.offlineCodes : nil)
        return (.ok, E4(state: state, otpReference: otp.reference, otpKey: otp.key, flags: flags).encoded)
    }

    private func makeAccount(_ e3: E3, _ deviceKey: [UInt8], _ id: AccountID, _ hash: [UInt8]) throws {
        guard settings.enrolsWithSecondFactor || accounts[id] != nil else {
            guard e3.instanceID == nil, e3.attemptID == nil, e3.secondFactorKey == nil, e3.secondFactorSignature == nil else { throw Status.refused }
            // No instance has this name.
            accounts[id] = Account(deviceKey: deviceKey, instance: InstanceID(using: random), isHeadless: true, otp: nextOTP)
            return
        }
        let instanceID = try present(e3.instanceID)
        let attempt = try present(e3.attemptID)
        let signature = try present(e3.secondFactorSignature)
        let sessionHash = Transcript.operation(e3.context, instance: instanceID, epoch: e3.epoch, payload: deviceKey + hash)
        if e3.context == .firstSet {
            let oprf = try present(firstSets[attempt])
            let newKey = try present(e3.secondFactorKey)
            let signed = Transcript.secondFactorSet(
                instance: instanceID, attempt: attempt, context: .firstSet, sessionHash: sessionHash, evaluationKey: oprf.publicKey,
                secondFactorKey: newKey)
            try EdwardsPublicKey(newKey).verify(signature, .secondFactorSet, signed)
            instances[instanceID] = Instance(key: oprf, share: try present(shares[id]), secondFactorKey: newKey)
        } else {
            let signed = Transcript.secondFactorProof(instance: instanceID, attempt: attempt, context: e3.context, sessionHash: sessionHash)
            try EdwardsPublicKey(try present(instances[instanceID]).secondFactorKey).verify(signature, .secondFactorProof, signed)
            prove(instanceID)
        }
        guard accounts[id] == nil else {
            accounts[id]?.upgrading = instanceID
            return
        }
        accounts[id] = Account(deviceKey: deviceKey, instance: instanceID, otp: nextOTP)
    }

    private func waitsForCode(_ id: AccountID) throws -> Bool {
        let account = try account(id)
        return account.state == .pending || account.upgrading != nil
    }

    func confirmation(_ opened: OpenedRequest) async throws -> (Status, [UInt8]) {
        let message = try Encoded<W1>(decoding: opened.message)
        let id = message.value.accountID
        if let tombstone = tombstones[id] { return (.accountDeleted, tombstone) }
        try message.verify(by: try key(account(id).deviceKey), freshness: opened.freshness)
        if try waitsForCode(id) { await hold(message.value.hold) }
        if let tombstone = tombstones[id] { return (.accountDeleted, tombstone) }
        guard try !waitsForCode(id) else { return (.accountPending, []) }
        guard try !account(id).isHeadless else {
            return (.ok, L6(result: .loggedIn, sessionID: nil, pingTime: 0, userName: "ada", flags: LoginFlags.headless).encoded)
        }
        let session = SessionID(using: random)
        let answer = L6(
            result: .loggedIn, sessionID: session, pingTime: settings.pingTime, userName: "ada", cache: mintCache(id, isSingleUse: true),
            flags: LoginFlags.offlineCodes(settings.offlineCodes))
        sessions[session] = LoginSession(isApp: false, claimedBy: id, outcome: ([], answer))
        return (.ok, answer.encoded)
    }

    func mintCache(_ id: AccountID, isSingleUse: Bool) -> [UInt8] {
        let token = random.bytes(32)
        caches[id] = (token, isSingleUse)
        return token
    }

    func delete(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<Delete>(decoding: opened.message)
        let id = message.value.accountID
        try message.verify(by: try key(account(id).deviceKey))
        accounts[id] = nil
        for session in sessions.keys where sessions[session]?.claimedBy == id { sessions[session]?.stop = .account }
        return (.ok, [])
    }
}
