import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// Users and accounts. An account is one phone of one user.
extension AdminRoutes {
    var accountTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/users/{userid}/accounts", query: ["limit", "marker"], getUser),
            AdminRoute(.get, "/servers/{serverid}/accounts/{accountid}/", getAccount),
            AdminRoute(.put, "/servers/{serverid}/accounts/{accountid}/", hasBody: true, updateAccount),
            AdminRoute(.delete, "/servers/{serverid}/accounts/{accountid}/", deleteAccount),
            AdminRoute(.post, "/servers/{serverid}/accounts/{accountid}/secondfactor/reset", resetSecondFactor),
        ]
    }

    private func getUser(_ request: AdminRequest) async throws -> Response {
        let slice = try request.slice()
        let all = try await domain.accounts.accounts(ofUser: try request.userID(), at: try request.serverID())
        return .object { writer in
            writer.name("accounts")
            writer.array(slice(all)) { writer, account in account.write(to: &writer) }
            writer.member("totalnumber", number: all.count)
        }
    }

    private func getAccount(_ request: AdminRequest) async throws -> Response {
        .json(try await domain.accounts.account(try request.accountID(), at: try request.serverID()).write)
    }

    private func updateAccount(_ request: AdminRequest) async throws -> Response {
        let (account, server) = (try request.accountID(), try request.serverID())
        let body: AdminAccountUpdate = try await request.body()
        return .json(
            try await domain.accounts.setBlocked(body.blocked, account, at: server, by: request.caller.actor, now: request.now).write)
    }

    private func deleteAccount(_ request: AdminRequest) async throws -> Response {
        try await domain.accounts.delete(try request.accountID(), at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }

    private func resetSecondFactor(_ request: AdminRequest) async throws -> Response {
        try await domain.accounts.resetSecondFactor(
            of: try request.accountID(), at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }
}
