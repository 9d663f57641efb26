import Authentication
import OstiaryProtocol
import OstiaryTesting

/// Accounts without a second factor, and how they get one.
extension DomainFixture {
    /// A world whose virtual server enrols headless accounts.
    static func headless(_ flags: [String] = []) async throws -> DomainFixture {
        try await DomainFixture { $0.flags = ["ENABLE_HEADLESS"] + flags }
    }

    func inviteHeadless(_ user: String? = "alice", browser: String = "enrolling") async throws -> Invitation {
        try await begin(
            EnrolmentStart(nonce: try Self.nonce(browser), displayName: user ?? "Somebody", userID: user, purpose: .headless))
    }

    func inviteUpgrade(of account: AccountID, browser: String = "upgrading") async throws -> Invitation {
        try await begin(EnrolmentStart(upgrading: account, nonce: try Self.nonce(browser)))
    }

    private func begin(_ start: EnrolmentStart) async throws -> Invitation {
        let started = try await enrolments.start(start, at: server, origin: Self.origin, by: .backend, now: now)
        return Invitation(nonce: start.nonce, link: started.link)
    }

    /// A phone with one active headless account, enrolled in the browser “enrolling”.
    func headlessPhone(_ user: String? = "alice", name: String = "phone") async throws -> TestPhone {
        var phone = try TestPhone(self, name)
        try await enrolHeadless(&phone, by: try await inviteHeadless(user, browser: "enrolling \(name)"))
        return phone
    }

    private func enrolHeadless(_ phone: inout TestPhone, by invitation: Invitation) async throws {
        let claimed = try await phone.claim(invitation)
        _ = try await phone.finishBare(claimed)
        _ = try await confirm(invitation, code: claimed.code)
        phone.account = claimed.shown.accountID
    }

    /// An upgrade that waits for its code: the PIN that the app of the headless account has by another account vouches for it.
    func vouchedUpgrade() async throws -> (full: TestPhone, headless: TestPhone, invitation: Invitation, claimed: Claimed) {
        let full = try await enrolledPhone("bob")
        var phone = try TestPhone(sharing: full)
        try await enrolHeadless(&phone, by: try await inviteHeadless(browser: "second"))
        let invitation = try await inviteUpgrade(of: try present(phone.account))
        let claimed = try await phone.claim(invitation)
        let tried = try await full.send(try full.provingForEnrolment(claimed, newKey: phone.publicKey, by: try present(full.account)))
        try await phone.finish(claimed, tried)
        return (full, phone, invitation, claimed)
    }

    /// The account of a phone as it is now.
    func account(of phone: TestPhone) async throws -> Account { try present(try await account(try present(phone.account))) }

    /// What the Data Service answers a phone.
    func data(_ phone: TestPhone) async throws -> [UInt8] {
        let message = GetData(accountID: try present(phone.account), callID: CallID(using: phone.random), payload: [1, 2])
        return try ServiceData(decoding: try await deliver(try phone.fresh(try present(message))).body).data
    }

    /// Puts a Data Service behind the virtual server.
    func offerData() async throws {
        let address = try present(ServiceAddress("https://data.example/"))
        _ = try await dataServices.set(address, patience: 5, at: server, by: .backend, now: now)
    }
}

extension TestPhone {
    /// E3 with nothing of a second factor.
    func finishingBare(_ claimed: Claimed) throws -> Outgoing {
        let message = E3(
            enrolHash: claimed.hash, decision: .accept, instanceID: nil, attemptID: nil, context: .enrol, epoch: 0, secondFactorKey: nil,
            secondFactorSignature: nil)
        return outgoing(try Encoded(message, signedBy: sign).bytes, claimed.ephemeral)
    }

    /// E3 → E4 of a headless account.
    func finishBare(_ claimed: Claimed) async throws -> E4 { try E4(decoding: try await world.deliver(try finishingBare(claimed)).body) }

    /// E1 to E4 of an upgrade that sets the first PIN of this phone; its code waits to be typed.
    func upgradePending(_ invitation: DomainFixture.Invitation) async throws -> (claimed: Claimed, made: E4) {
        let claimed = try await claim(invitation)
        let made = try await finish(claimed, try await setFirstPIN(claimed))
        return (claimed, made)
    }
}
