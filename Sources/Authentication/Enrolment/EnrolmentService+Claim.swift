import OstiaryProtocol

extension EnrolmentService {
    /// E1 → E2: a phone takes the invitation. The same device key again gets the same account; another is too late, and so is any but that of a headless
    /// account which the invitation is to make a full one.
    package func claim(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(E1.self, from: request).value
        guard (try? DevicePublicKey(message.deviceKey)) != nil else { throw Refusal.badSignature }
        // Others read it: on the page, in REST, and where they hear of a new device.
        guard [message.osInfo, message.appInfo].allSatisfy({ PlainLine.allows($0, cap: 256) }) else { throw Refusal.malformed(.badText) }
        // A headless account comes about without the second-factor server.
        let prekey: Result<Encoded<Prekey>, Refusal>
        do throws(Refusal) { prekey = .success(try await secondFactor.prekey(at: request.now)) } catch { prekey = .failure(error) }
        let fresh = (account: AccountID(using: random), share: random.bytes(32))
        let (reply, enrolment) = try await store.write { rows, former -> (Reply, Enrolment) in
            guard let enrolment = try rows.enrolment(message.enrolID), enrolment.server == request.server,
                matches(SHA(message.enrolSecret), enrolment.secretHash)
            else { throw Refusal.enrolmentUnknown }
            try enrolment.settled(at: request.now).checkPurpose(message.deviceKey, whileLeaving: .attemptOpen, in: rows)
            let asksFactor = enrolment.purpose.asksSecondFactor
            let known = enrolment.claim.flatMap { $0.deviceKey == message.deviceKey ? $0 : nil }
            let (account, share) = (enrolment.purpose.upgraded ?? known?.account ?? fresh.account, known?.serverShare ?? StoredSecret(fresh.share))
            let names = try enrolment.userID.map { try rows.accounts(ofUser: $0, at: request.server).map(\.displayName) } ?? []
            let reply = Reply(
                E2(
                    accountID: account, displayName: enrolment.displayName, serverAccounts: names, secondFactor: asksFactor ? .needed : .none,
                    pinPolicy: .standard, serverShare: asksFactor ? try share.bytes() : nil,
                    secondFactorPrekey: asksFactor ? try prekey.get() : nil))
            let claim = Enrolment.Claim(
                deviceKey: message.deviceKey, device: message.osInfo, app: message.appInfo, account: account, serverShare: share,
                enrolHash: Transcript.enrolment(requestHash: request.opened.hash, shown: reply.body), ephemeral: request.ephemeral)
            let claimed = try enrolment.after(.claim(claim), at: request.now)
            try rows.save(claimed)
            try request.spend(in: rows, again: former != nil)
            return (reply, claimed)
        }
        tell(enrolment)
        return reply
    }
}
