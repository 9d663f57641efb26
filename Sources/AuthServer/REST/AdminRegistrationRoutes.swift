import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Who may register clients by themselves (RFC 7591), and the tokens for it.
extension AdminRoutes {
    var registrationTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/registration/", getRegistration),
            AdminRoute(.put, "/servers/{serverid}/registration/", hasBody: true, putRegistration),
            AdminRoute(.post, "/servers/{serverid}/registration/tokens", hasBody: true, drawInitialToken),
            AdminRoute(.delete, "/servers/{serverid}/registration/tokens", endInitialTokens),
        ]
    }

    private func getRegistration(_ request: AdminRequest) async throws -> Response {
        .json(try await registry.registration(at: try await server(of: request), now: request.now).json)
    }

    private func putRegistration(_ request: AdminRequest) async throws -> Response {
        let server = try await server(of: request)
        let body: AdminRegistrationPut = try await request.body()
        do {
            try await registry.setRegistration(try body.policy(of: server), by: request.caller.actor, now: request.now)
        } catch let refusal as RegistrationPolicyRefusal {
            throw refusal.fieldRefusal
        }
        return .json(try await registry.registration(at: server, now: request.now).json)
    }

    /// Answers the token, this once.
    private func drawInitialToken(_ request: AdminRequest) async throws -> Response {
        let server = try await server(of: request)
        let body: AdminInitialToken = try await request.body()
        let life = try AdminWords.seconds(body.life, AdminInitialToken.Field.life.rawValue) ?? AdminInitialToken.usualLife
        do {
            let drawn = try await registry.drawInitialToken(
                at: server, life: life, uses: try AdminWords.count(body.uses, AdminInitialToken.Field.uses.rawValue) ?? 1,
                by: request.caller.actor, now: request.now)
            return .json(
                JSONObject(["initial_access_token": .string(drawn.text), "expires_at": .seconds((request.now + life).seconds)]))
        } catch let refusal as InitialTokenRefusal {
            throw refusal.fieldRefusal
        }
    }

    private func endInitialTokens(_ request: AdminRequest) async throws -> Response {
        try await registry.endInitialTokens(at: try await server(of: request), by: request.caller.actor, now: request.now)
        return .done
    }

    /// - Throws: `UnknownServer`.
    private func server(of request: AdminRequest) async throws -> ServerID { try await domain.servers.virtualServer(try request.serverID()).id }
}

/// The body of putRegistration: the whole of it.
struct AdminRegistrationPut: JSONFields {
    let mode: String
    let apis: [String: [String]]?
    let most: JSONInteger?
    let unusedDays: JSONInteger?
    /// Told, and not changed.
    let clients: JSONInteger?
    let tokens: JSONInteger?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable {
        case mode, apis
        case most = "most_clients"
        case unusedDays = "unused_days"
        case clients, tokens
    }

    func policy(of server: ServerID) throws -> RegistrationPolicy {
        for (number, field) in [(clients, Field.clients), (tokens, .tokens)] { _ = try AdminWords.count(number, field.rawValue) }
        var policy = RegistrationPolicy(server: server)
        policy.mode = try AdminWords.one(mode, Field.mode.rawValue)
        policy.apis = try AdminWords.scopes(apis ?? [:], Field.apis.rawValue)
        policy.most = try AdminWords.count(most, Field.most.rawValue) ?? policy.most
        policy.unusedDays = try AdminWords.count(unusedDays, Field.unusedDays.rawValue) ?? policy.unusedDays
        return policy
    }
}

/// The body of drawInitialToken.
struct AdminInitialToken: JSONFields {
    /// A day.
    static let usualLife: UInt64 = 86_400

    let life: JSONInteger?
    let uses: JSONInteger?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable {
        case life = "lifetime"
        case uses
    }
}

extension RegistrationStanding {
    /// The Registration object of the REST API.
    var json: JSONObject {
        JSONObject([
            "mode": .string(policy.mode.rawValue), "apis": .scopes(byAPI: policy.apis), "most_clients": .integer(Int64(policy.most)),
            "unused_days": .integer(Int64(policy.unusedDays)), "clients": .integer(Int64(clients)), "tokens": .integer(Int64(tokens)),
        ])
    }
}

extension RegistrationPolicyRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .mostWrong: .bad("most_clients", "is \(RegistryService.mostClients.words)")
        case .unusedDaysWrong: .bad("unused_days", "is \(RegistryService.unusedDays.words) days")
        case .apiUnknown(let api): .bad("apis.\(api.text)", "is no API of this server")
        case .scopeUnknown(let api, let scope): .bad("apis.\(api.text)", "has no scope \(scope.text)")
        }
    }
}

extension InitialTokenRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .lifeWrong: .bad("lifetime", "is \(RegistryService.tokenLife.words) seconds")
        case .usesWrong: .bad("uses", "is \(RegistryService.tokenUses.words)")
        }
    }
}

extension ClosedRange where Bound: BinaryInteger {
    fileprivate var words: String { "\(lowerBound) to \(upperBound)" }
}
