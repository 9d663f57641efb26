import OstiaryProtocol

/// Verification: a phone brings the address that a device shows (protocol §6). Whose code it is, and what for, the provider knows; here is who asks, and by
/// which link the phone goes on.
package struct VerificationService: Sendable {
    let store: any AuthenticationStore
    let keyring: any ServerKeyring

    /// What an account's phone has scanned.
    package struct Brought: Equatable, Sendable {
        package let account: AccountID
        /// Of which nothing is known yet.
        package let uri: String
    }

    /// Who brings what. The request is spent: the same bytes end no session that the code began meanwhile, and cost nobody's tries.
    /// - Throws: `Refusal`: of an account that may not log in; `linkNotAllowed` where such links are refused, because anybody may have sent the code.
    package func brought(_ request: PhoneRequest) async throws -> Brought {
        let message = try decoded(Verification.self, from: request)
        let (account, freshness) = (message.value.accountID, request.opened.freshness)
        try await request.verifyAhead(message, freshness: freshness, in: store) { rows in try rows.account(account)?.deviceKey }
        return try await store.write { rows, former in
            let account = try rows.living(account, at: request.server)
            try request.verify(message, by: account.deviceKey, freshness: freshness)
            try account.checkMayLogIn()
            guard try !rows.existing(request.server).parameters.flags.contains(.strictLinks) else { throw Refusal.linkNotAllowed }
            try request.spend(in: rows, again: former != nil)
            return Brought(account: account.id, uri: message.value.uri)
        }
    }

    /// The answer: the login that the phone begins like one whose link was tapped.
    /// - Parameter end: of the code.
    package func answer(_ session: SessionID, until end: Instant, to request: PhoneRequest) async throws -> Reply {
        let keys = try await keyring.keys(of: request.server)
        let link = LoginLink(
            serverTag: keys.root.tag, sessionID: session, issuedAt: UInt32(clamping: request.now.seconds), frame: 0, binding: .unboundLink,
            qrSecret: keys.derivation.linkSecret(of: session))
        return Reply(Waiting(logins: [WaitingLogin(link: Encoded(link), expiresAt: end)]))
    }
}
