import Authentication
import OstiaryProtocol
import OstiaryTesting

typealias Claimed = RawPhone.Claimed

extension TestPhone {
    func claiming(_ invitation: DomainFixture.Invitation, device: String? = nil, secret: [UInt8]? = nil) throws -> Outgoing {
        outgoing(raw.claim(invitation.link, secret: secret, device: device).encoded, try ephemeral())
    }

    /// E1 → E2.
    func claim(_ invitation: DomainFixture.Invitation, device: String? = nil) async throws -> Claimed {
        let message = try claiming(invitation, device: device)
        let sealed = try world.seal(message)
        let body = try await world.receive(sealed.bytes).body
        return try Claimed(ephemeral: message.ephemeral, requestHash: sealed.hash, body: body)
    }

    /// M1 of a first PIN.
    func settingFirstPIN(_ claimed: Claimed, instance: InstanceID? = nil, id: AttemptID? = nil, blinded: [UInt8]? = nil) throws -> Try {
        try attempt(
            try raw.settingFirstPIN(claimed, instance: instance, id: id, blinded: blinded), account: claimed.shown.accountID,
            ephemeral: claimed.ephemeral)
    }

    func setFirstPIN(_ claimed: Claimed) async throws -> Tried { try await send(try settingFirstPIN(claimed)) }

    /// M1 of one more account of this app: the account that is there vouches for the new device key.
    func provingForEnrolment(_ claimed: Claimed, newKey: [UInt8], by account: AccountID) throws -> Try {
        let payload = newKey + claimed.hash
        let hash = Transcript.operation(.enrol, instance: instance, epoch: 1, payload: payload)
        return try attempt(.enrol, sessionHash: hash, payload: payload, account: account, ephemeral: claimed.ephemeral)
    }

    /// E3 with a second factor that was set.
    func finishing(_ claimed: Claimed, _ tried: Tried, decision: Decision = .accept) throws -> Outgoing {
        let message = try raw.accepting(claimed, tried.question, evaluationKey: tried.evaluation?.evaluationKey, decision: decision)
        return outgoing(message.bytes, claimed.ephemeral)
    }

    /// E3 → E4.
    @discardableResult
    func finish(_ claimed: Claimed, _ tried: Tried) async throws -> E4 {
        try E4(decoding: try await world.deliver(try finishing(claimed, tried)).body)
    }

    func declining(_ claimed: Claimed) throws -> Outgoing { outgoing(try raw.declining(claimed).bytes, claimed.ephemeral) }

    /// E1 to E4: an account that waits for its code.
    func enrolPending(_ invitation: DomainFixture.Invitation) async throws -> Claimed {
        let claimed = try await claim(invitation)
        try await finish(claimed, try await setFirstPIN(claimed))
        return claimed
    }

    /// One more account on this phone, active and for another person, vouched for by the PIN that is there.
    func secondAccount(_ user: String = "bob") async throws -> TestPhone {
        var second = try TestPhone(sharing: self)
        let invitation = try await world.invite(user, browser: "second")
        let claimed = try await second.claim(invitation)
        let vouched = try await send(try provingForEnrolment(claimed, newKey: second.publicKey, by: try present(account)))
        try await second.finish(claimed, vouched)
        _ = try await world.confirm(invitation, code: claimed.code)
        second.account = claimed.shown.accountID
        return second
    }

    func waiting(for account: AccountID) throws -> Outgoing { try fresh(W1(accountID: account, hold: 0)) }

    /// W1, once the account is active.
    func hearOfActivation(of account: AccountID) async throws -> L6 {
        try L6(decoding: try await world.deliver(try waiting(for: account)).body)
    }
}
