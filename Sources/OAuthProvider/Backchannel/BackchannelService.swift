import Authentication
import OstiaryProtocol
import OstiaryTokens

/// CIBA: a client asks a person whom it names, on their phone (OpenID Connect CIBA §7).
package struct BackchannelService: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource
    let gate: ClientGate

    package init(store: any OAuthStore, keyring: any TokenKeyring, random: any RandomSource, gate: ClientGate) {
        self.store = store
        self.keyring = keyring
        self.random = random
        self.gate = gate
    }

    package struct Begun: Sendable {
        package let requestID: String
        package let request: BackchannelRequest
        package let authorization: PolledAuthorization
        /// Whether the person's phone is to be told. The client's answer is the same.
        package let rings: Bool

        /// The answer of §7.3.
        package var json: JSONObject {
            JSONObject([
                "auth_req_id": .string(requestID), "expires_in": .integer(Int64(clamping: request.life)),
                "interval": .integer(Int64(clamping: PolledAuthorization.interval)),
            ])
        }
    }

    /// A person whom nobody knows is answered like one who does not answer, so that no client learns who is here.
    /// - Throws: `TokenRefusal` for the client, `BackchannelRefusal` for what it asks.
    package func begin(_ call: TokenCall, at now: Instant) async throws -> Begun {
        try call.checkForm()
        let presented = try call.presentedClient()
        let keys = try await keyring.keys(of: call.server)
        let client = try await gate.client(presented, of: call, keys, at: now)
        guard !client.application.isPublic else { throw TokenRefusal.publicClient }
        guard client.application.grantTypes.contains(.backchannel), client.application.backchannel != nil else {
            throw TokenRefusal.grantTypeNotAllowed
        }
        let request = try BackchannelRequest(call.parameters, of: client.application)
        let user = try Self.user(request.hint, of: client.application, keys)
        let requestID = Base64URL.encode(random.bytes(32))
        let redemption = RedemptionID(using: random)
        return try await store.write { rows, former in
            try rows.spend(client, nil, by: redemption)
            let allowed = try rows.allowed(request.scopes, request.target, of: client.application)
            let account = try rows.account(hinted: user, at: call.server)
            let earlier = try account.map { try rows.backchannelRequests(for: $0, since: now - BackchannelLimit.day) } ?? []
            let authorization = PolledAuthorization(
                hash: SHA(requestID.utf8), server: call.server, client: client.application.id, way: .backchannel(account), scopes: allowed,
                api: request.target, strengths: request.strengths, createdAt: now, life: request.life,
                notification: request.notification(of: requestID))
            try rows.save(authorization)
            let others = earlier.filter { $0.hash != authorization.hash }
            return Begun(
                requestID: requestID, request: request, authorization: authorization,
                rings: account != nil && BackchannelLimit.mayRing(after: others, at: now))
        }
    }

    private static func user(
        _ hint: BackchannelRequest.Hint, of application: Application, _ keys: TokenKeys
    ) throws(BackchannelRefusal) -> String {
        switch hint {
        case .user(let name): return name
        case .idToken(let text):
            guard let subject = keys.subject(ofHint: text, from: application.id.text) else { throw .hintWrong }
            return subject
        }
    }
}

extension BackchannelRequest {
    /// What has to be kept for the ping.
    fileprivate func notification(of requestID: String) -> PolledAuthorization.Notification? {
        notification.map { address, token in
            PolledAuthorization.Notification(
                address: address, token: StoredSecret(Array(token.text.utf8)), requestID: StoredSecret(Array(requestID.utf8)))
        }
    }
}
