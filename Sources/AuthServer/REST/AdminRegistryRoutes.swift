import Authentication
import Foundation
import HTTPService
import Hummingbird
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What the provider knows of applications, APIs, roles and users. A PUT says the whole thing, so that saying it again changes nothing.
extension AdminRoutes {
    var registryTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/applications/", query: ["limit", "marker"], getApplications),
            AdminRoute(.get, "/servers/{serverid}/applications/{clientid}/", getApplication),
            AdminRoute(.put, "/servers/{serverid}/applications/{clientid}/", hasBody: true, putApplication),
            AdminRoute(.delete, "/servers/{serverid}/applications/{clientid}/", deleteApplication),
            AdminRoute(.post, "/servers/{serverid}/applications/{clientid}/secret", hasBody: true, rotateSecret),
            AdminRoute(.get, "/servers/{serverid}/apis/", query: ["limit", "marker"], getAPIs),
            AdminRoute(.get, "/servers/{serverid}/apis/{api}/", getAPI),
            AdminRoute(.put, "/servers/{serverid}/apis/{api}/", hasBody: true, putAPI),
            AdminRoute(.delete, "/servers/{serverid}/apis/{api}/", deleteAPI),
            AdminRoute(.get, "/servers/{serverid}/roles/", query: ["limit", "marker"], getRoles),
            AdminRoute(.get, "/servers/{serverid}/roles/{role}/", getRole),
            AdminRoute(.put, "/servers/{serverid}/roles/{role}/", hasBody: true, putRole),
            AdminRoute(.delete, "/servers/{serverid}/roles/{role}/", deleteRole),
            AdminRoute(.get, "/servers/{serverid}/users/", query: ["limit", "marker"], getUsers),
            AdminRoute(.get, "/servers/{serverid}/users/{userid}/", getProfile),
            AdminRoute(.put, "/servers/{serverid}/users/{userid}/", hasBody: true, putProfile),
            AdminRoute(.delete, "/servers/{serverid}/users/{userid}/", deleteProfile),
            AdminRoute(.post, "/servers/{serverid}/registry", query: ["dryrun", "prune"], hasBody: true, applyRegistry),
        ]
    }

    private func getApplications(_ request: AdminRequest) async throws -> Response {
        let (part, server) = (try request.part(), try await known(request))
        return .list("applications", try await registry.applications(of: server, part), \.json)
    }

    private func getApplication(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.application(try request.client(), of: try request.serverID()).json)
    }

    /// Answers a secret that was drawn, this once.
    private func putApplication(_ request: AdminRequest) async throws -> Response {
        let (id, server) = (try request.client(), try await known(request))
        let body: AdminApplicationPut = try await request.body()
        let outcome = try await put(RegistryDocument(applications: [try body.application(id, of: server)]), request)
        var object = try await registry.application(id, of: server).json
        object["client_secret"] = outcome.secrets[id].map { .string($0.text) }
        return .json(object)
    }

    private func deleteApplication(_ request: AdminRequest) async throws -> Response { try await remove(.application(try request.client()), request) }

    private func rotateSecret(_ request: AdminRequest) async throws -> Response {
        let (id, server) = (try request.client(), try request.serverID())
        let body: AdminSecretRotation = try await request.body()
        let overlap = try AdminWords.seconds(body.overlap, "overlap") ?? 0
        guard overlap <= RegistryService.longestOverlap else {
            throw FieldRefusal.bad("overlap", "is at most \(RegistryService.longestOverlap) seconds")
        }
        let drawn = try await registry.rotateSecret(of: id, at: server, overlap: overlap, by: request.caller.actor, now: request.now)
        return .object { writer in writer.member("client_secret", drawn.text) }
    }

    private func getAPIs(_ request: AdminRequest) async throws -> Response {
        let (part, server) = (try request.part(), try await known(request))
        return .list("apis", try await registry.apis(of: server, part), \.json)
    }

    private func getAPI(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.api(try request.api(), of: try request.serverID()).json)
    }

    private func putAPI(_ request: AdminRequest) async throws -> Response {
        let (id, server) = (try request.api(), try await known(request))
        let body: AdminAPIPut = try await request.body()
        let api = try body.api(id, of: server)
        _ = try await put(RegistryDocument(apis: [api]), request)
        return .json(api.json)
    }

    private func deleteAPI(_ request: AdminRequest) async throws -> Response { try await remove(.api(try request.api()), request) }

    private func getRoles(_ request: AdminRequest) async throws -> Response {
        let (part, server) = (try request.part(), try await known(request))
        return .list("roles", try await registry.roles(of: server, part), \.json)
    }

    private func getRole(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.role(try request.role(), of: try request.serverID()).json)
    }

    private func putRole(_ request: AdminRequest) async throws -> Response {
        let (name, server) = (try request.role(), try await known(request))
        let body: AdminRolePut = try await request.body()
        let role = try body.role(name, of: server)
        _ = try await put(RegistryDocument(roles: [role]), request)
        return .json(role.json)
    }

    private func deleteRole(_ request: AdminRequest) async throws -> Response { try await remove(.role(try request.role()), request) }

    private func getUsers(_ request: AdminRequest) async throws -> Response {
        let (part, server) = (try request.part(), try await known(request))
        return .list("users", try await registry.users(of: server, part), \.json)
    }

    private func getProfile(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.user(try request.userID(), of: try request.serverID()).json)
    }

    private func putProfile(_ request: AdminRequest) async throws -> Response {
        let (id, server) = (try request.userID(), try await known(request))
        let body: AdminUserPut = try await request.body()
        let user = try body.user(id, of: server)
        _ = try await put(RegistryDocument(users: [user]), request)
        return .json(user.json)
    }

    private func deleteProfile(_ request: AdminRequest) async throws -> Response { try await remove(.user(try request.userID()), request) }

    private func applyRegistry(_ request: AdminRequest) async throws -> Response {
        let (isTrial, prunes, server) = (try request.flag("dryrun"), try request.flag("prune"), try await known(request))
        let body: AdminRegistryDocument = try await request.body()
        return .json(
            try await registry.apply(
                try body.document(of: server), prunes: prunes, isTrial: isTrial, at: server, by: request.caller.actor, now: request.now
            ).json)
    }

    /// - Throws: `UnknownServer`: there is no registry of a server that does not exist.
    private func known(_ request: AdminRequest) async throws -> ServerID { try await domain.servers.virtualServer(try request.serverID()).id }

    /// Writes the one thing that a call is about, so that a refusal need not say which.
    private func put(_ document: RegistryDocument, _ request: AdminRequest) async throws -> RegistryOutcome {
        do {
            return try await registry.apply(document, at: try request.serverID(), by: request.caller.actor, now: request.now)
        } catch let refusal as RegistryRefusal {
            throw refusal.reason.fieldRefusal
        }
    }

    private func remove(_ item: RegistryItem, _ request: AdminRequest) async throws -> Response {
        try await registry.remove(item, at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }
}

extension AdminRequest {
    func client() throws -> ClientID {
        guard let id = ClientID(try decoded("clientid")) else { throw AdminRefusal.badPath("clientid") }
        return id
    }

    fileprivate func api() throws -> APIIdentifier {
        guard let api = APIIdentifier(try decoded("api")) else { throw AdminRefusal.badPath("api") }
        return api
    }

    fileprivate func role() throws -> String {
        let text = try decoded("role")
        guard !text.isEmpty, PlainLine.allows(text, cap: 255) else { throw AdminRefusal.badPath("role") }
        return text
    }

    func part() throws -> ListPart {
        let slice = try slice()
        return ListPart(after: slice.marker, limit: slice.limit)
    }

    /// A parameter of the query that is true, false or left out.
    func flag(_ name: String) throws(FieldRefusal) -> Bool {
        switch try query(name) {
        case "true": true
        case nil, "false": false
        case .some: throw .bad(name, "is true, false or left out")
        }
    }
}

extension Response {
    /// Part of a list, and how long the whole is.
    static func list<Element>(_ name: String, _ part: Listed<Element>, _ json: (Element) -> JSONObject) -> Response {
        .json(JSONObject([name: .array(part.elements.map { .object(json($0)) }), "totalnumber": .integer(Int64(part.total))]))
    }
}
