import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// Virtual servers: their names, policies and identities.
extension AdminRoutes {
    var serverTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/", query: ["limit", "marker"], getServers),
            AdminRoute(.get, "/servers/{serverid}/", getServer),
            AdminRoute(.put, "/servers/{serverid}/", hasBody: true, updateServer),
            AdminRoute(.get, "/servers/{serverid}/vash", query: ["s"], getServerVash),
        ]
    }

    private func getServers(_ request: AdminRequest) async throws -> Response {
        let slice = try request.slice()
        let all = try await domain.servers.servers()
        return .object { writer in
            writer.name("servers")
            writer.array(slice(all)) { writer, overview in AdminServerObject(overview: overview).write(to: &writer) }
            writer.member("totalnumber", number: all.count)
        }
    }

    private func getServer(_ request: AdminRequest) async throws -> Response {
        let overview = try await domain.servers.server(try request.serverID())
        return .json(AdminServerObject(overview: overview).write)
    }

    private func updateServer(_ request: AdminRequest) async throws -> Response {
        let id = try request.serverID()
        let body: AdminServerUpdate = try await request.body()
        let change = Result { try body.change() }
        let overview = try await domain.servers.update(id, by: request.caller.actor, at: request.now) { server in
            try body.checkIdentity(of: server)
            return try change.get()
        }
        return .json(AdminServerObject(overview: overview).write)
    }

    private func getServerVash(_ request: AdminRequest) async throws -> Response {
        let size = try request.pixels()
        let server = try request.serverID()
        // The picture is kept in memory, also of one that is gone.
        _ = try await domain.servers.virtualServer(server)
        return try AdminImage.visualHash(try await visualHashes.hash(of: server), pixels: size)
    }
}
