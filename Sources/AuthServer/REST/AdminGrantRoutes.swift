import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What people let clients do: listed, ended and withdrawn.
extension AdminRoutes {
    var grantTable: [AdminRoute] {
        let (listed, chosen) = (["clientid", "limit", "marker"], ["clientid"])
        return [
            AdminRoute(.get, "/servers/{serverid}/users/{userid}/grants/", query: listed) { try await getGrants($0, try await user($0)) },
            AdminRoute(.delete, "/servers/{serverid}/users/{userid}/grants/", query: chosen) { try await endGrants($0, try await user($0)) },
            AdminRoute(.get, "/servers/{serverid}/users/{userid}/consents/", query: listed) { try await getConsents($0, try await user($0)) },
            AdminRoute(.delete, "/servers/{serverid}/users/{userid}/consents/", query: chosen) { try await withdraw($0, try await user($0)) },
            AdminRoute(.get, "/servers/{serverid}/accounts/{accountid}/grants/", query: listed) { try await getGrants($0, try await account($0)) },
            AdminRoute(.delete, "/servers/{serverid}/accounts/{accountid}/grants/", query: chosen) { try await endGrants($0, try await account($0)) },
            AdminRoute(.get, "/servers/{serverid}/accounts/{accountid}/consents/", query: listed) {
                try await getConsents($0, try await account($0))
            },
            AdminRoute(.delete, "/servers/{serverid}/accounts/{accountid}/consents/", query: chosen) {
                try await withdraw($0, try await account($0))
            },
            AdminRoute(.get, "/servers/{serverid}/applications/{clientid}/grants/", query: ["limit", "marker"]) {
                try await getGrants($0, try await application($0))
            },
            AdminRoute(.delete, "/servers/{serverid}/applications/{clientid}/grants/") { try await endGrants($0, try await application($0)) },
            AdminRoute(.get, "/servers/{serverid}/grants/{grantid}/", getGrant),
            AdminRoute(.delete, "/servers/{serverid}/grants/{grantid}/", endGrant),
        ]
    }

    /// - Throws: `AccountError.userUnknown` for somebody without an account.
    private func user(_ request: AdminRequest) async throws -> GivenSelection {
        let (user, client) = (try request.userID(), try request.chosenClient())
        _ = try await domain.accounts.accounts(ofUser: user, at: try request.serverID())
        return .byUser(user, to: client)
    }

    /// - Throws: `AccountError.unknown`.
    private func account(_ request: AdminRequest) async throws -> GivenSelection {
        let client = try request.chosenClient()
        return .byAccount(try await domain.accounts.account(try request.accountID(), at: try request.serverID()).id, to: client)
    }

    /// - Throws: `UnknownRegistryItem`.
    private func application(_ request: AdminRequest) async throws -> GivenSelection {
        .toClient(try await registry.application(try request.client(), of: try request.serverID()).id)
    }

    private func getGrants(_ request: AdminRequest, _ selection: GivenSelection) async throws -> Response {
        let (part, server) = (try request.part(), try request.serverID())
        return .list("grants", try await registry.grants(selection, at: server, part, now: request.now), \.json)
    }

    private func endGrants(_ request: AdminRequest, _ selection: GivenSelection) async throws -> Response {
        let server = try request.serverID()
        let ended = try await registry.endGrants(selection, at: server, by: request.caller.actor, now: request.now)
        return .object { writer in writer.member("ended", number: ended) }
    }

    private func getConsents(_ request: AdminRequest, _ selection: GivenSelection) async throws -> Response {
        let (part, server) = (try request.part(), try request.serverID())
        return .list("consents", try await registry.consents(selection, at: server, part), \.json)
    }

    private func withdraw(_ request: AdminRequest, _ selection: GivenSelection) async throws -> Response {
        let server = try request.serverID()
        let withdrawn = try await registry.withdrawConsents(selection, at: server, by: request.caller.actor, now: request.now)
        return .object { writer in
            writer.member("withdrawn", number: withdrawn.consents)
            writer.member("ended", number: withdrawn.grants)
        }
    }

    private func getGrant(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.grant(try request.grantID(), at: try request.serverID(), now: request.now).json)
    }

    private func endGrant(_ request: AdminRequest) async throws -> Response {
        try await registry.endGrant(try request.grantID(), at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }
}

extension AdminRequest {
    /// An id that cannot exist is one that does not exist.
    fileprivate func grantID() throws -> GrantID {
        guard let id = parameters.get("grantid").flatMap({ GrantID(text: $0) }) else { throw UnknownGrant() }
        return id
    }

    /// `clientid` of the query: of one client only. One that was removed, or never was, got nothing.
    fileprivate func chosenClient() throws -> ClientID? {
        // Where the address names it, the query does not.
        guard parameters.get("clientid") == nil, let text = try query("clientid") else { return nil }
        guard let id = ClientID(text) else { throw FieldRefusal.bad("clientid", "is no client_id") }
        return id
    }
}

extension GivenGrant {
    /// The Grant object of the REST API.
    fileprivate var json: JSONObject {
        let heldBy =
            switch grant.holder {
            case .session: "session"
            case .device: "device"
            }
        return JSONObject([
            "id": .string(grant.id.text), "client_id": .string(grant.client.text), "accountid": .string(grant.holder.account.text),
            "userid": userID.map { .string($0) }, "api": grant.api.map { .string($0.text) }, "scopes": .strings(grant.scopes.scopes.map(\.text)),
            "held_by": .string(heldBy), "since": .seconds(grant.createdAt.seconds), "last_used": usedAt.map { .seconds($0.seconds) },
        ])
    }
}

extension GivenConsent {
    /// The Consent object of the REST API.
    fileprivate var json: JSONObject {
        JSONObject([
            "client_id": .string(consent.client.text), "accountid": .string(consent.account.text), "userid": userID.map { .string($0) },
            "api": consent.api.map { .string($0.text) }, "scopes": .strings(consent.scopes.scopes.map(\.text)),
        ])
    }
}
