import Authentication
import OstiaryProtocol
import OstiaryTokens

/// CIBA: a client asks a person whom it names, on their phone (OpenID Connect CIBA §7).
package struct BackchannelService: Sendable {
    let context: ProviderContext

    package struct Begun: Sendable {
        package let requestID: String
        package let request: BackchannelRequest
        package let authorization: PolledAuthorization
        /// Whether the person's phone is to be told. The client's answer is the same.
        package let rings: Bool
        /// Of the session that asks. It has a number in any case, so that the client's answer is the same.
        package let session: SessionID
        package let application: Application
        package let api: ProtectedAPI?

        /// How strongly the person has to show themself.
        package var demand: FactorDemand { FactorDemand(for: request.strengths) }

        /// The answer of §7.3.
        /// - Parameter number: for the client's screen, a member of our own.
        package func json(_ number: PushNumber) -> JSONObject {
            JSONObject([
                "number": .string(number.exposed),
                "auth_req_id": .string(requestID), "expires_in": .integer(Int64(clamping: request.life)),
                "interval": .integer(Int64(clamping: PolledAuthorization.interval)),
            ])
        }
    }

    /// A person whom nobody knows is answered like one who does not answer, so that no client learns who is here.
    /// - Throws: `TokenRefusal` for the client, `BackchannelRefusal` for what it asks.
    package func begin(_ call: TokenCall, at now: Instant) async throws -> Begun {
        let authenticated = try await context.authenticated(call, at: now)
        let application = authenticated.application
        guard !application.isPublic else { throw TokenRefusal.publicClient }
        guard application.grantTypes.contains(.backchannel), application.backchannel != nil else { throw TokenRefusal.grantTypeNotAllowed }
        let request = try BackchannelRequest(call.parameters, of: application)
        let user = try Self.user(request.hint, of: application, authenticated.keys)
        let session = SessionID(using: context.random)
        let requestID = Base64URL.encode(context.random.bytes(32))
        return try await context.write(for: authenticated) { rows, application in
            let allowed = try rows.allowed(request.scopes, request.target, of: application)
            let account = try rows.account(hinted: user, at: call.server)
            let since = now - BackchannelLimit.day
            let earlier = try account.map { try rows.backchannelRequests(of: application.id, for: $0, since: since) } ?? []
            let others = earlier.filter { $0.hash != SHA(requestID.utf8) }
            let rings = account != nil && BackchannelLimit.mayRing(after: others, at: now)
            let authorization = PolledAuthorization(
                hash: SHA(requestID.utf8), server: call.server, client: application.id, way: .backchannel(account), scopes: allowed,
                api: request.target, strengths: request.strengths, bindingMessage: request.bindingMessage, createdAt: now, life: request.life,
                session: rings ? session : nil, notification: request.notification(of: requestID))
            try rows.save(authorization)
            return Begun(
                requestID: requestID, request: request, authorization: authorization, rings: rings, session: session, application: application,
                api: try request.target.flatMap { try rows.api($0, of: call.server) })
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
