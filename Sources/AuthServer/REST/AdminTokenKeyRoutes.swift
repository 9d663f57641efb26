import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// The keys that tokens are signed with: what is published, and new ones in an emergency.
extension AdminRoutes {
    var tokenKeyTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/keys/", getKeys),
            AdminRoute(.post, "/servers/{serverid}/keys/rotate", hasBody: true, rotateKeys),
        ]
    }

    private func getKeys(_ request: AdminRequest) async throws -> Response {
        .json(try await publishedKeys(of: try await domain.servers.virtualServer(try request.serverID()).id))
    }

    private func rotateKeys(_ request: AdminRequest) async throws -> Response {
        let server = try await domain.servers.virtualServer(try request.serverID()).id
        let body: AdminKeyRotation = try await request.body()
        do {
            try await tokenKeys.replace(server, alsoSecret: body.endsRefreshTokens ?? false, by: request.caller.actor)
        } catch is NoProvider {
            throw AdminRefusal.noProvider
        }
        return .json(try await publishedKeys(of: server))
    }

    private func publishedKeys(of server: ServerID) async throws -> JSONObject {
        JSONObject(["keys": .array(try await tokenKeys.facts(of: server).map { .object($0.json) })])
    }
}

/// The body of rotateKeys.
struct AdminKeyRotation: JSONFields {
    let endsRefreshTokens: Bool?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable { case endsRefreshTokens = "end_refresh_tokens" }
}

extension TokenKeyFacts {
    /// The Key object of the REST API.
    fileprivate var json: JSONObject {
        JSONObject([
            "kid": .string(id), "alg": .string(algorithm.rawValue), "use": .string(use.rawValue), "signs_from": .seconds(signsFrom.seconds),
            "signs_until": .seconds(signsUntil.seconds), "published_until": .seconds(publishedUntil.seconds),
        ])
    }
}
