import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryTokens

/// The service behind a virtual server that gives tokens (docs/token-service.md).
extension AdminRoutes {
    var tokenServiceTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/tokenservice/", getTokenService),
            AdminRoute(.put, "/servers/{serverid}/tokenservice/", query: ["dryrun"], hasBody: true, putTokenService),
            AdminRoute(.delete, "/servers/{serverid}/tokenservice/", deleteTokenService),
            AdminRoute(.post, "/servers/{serverid}/tokenservice/secret", hasBody: true, setTokenServiceSecret),
        ]
    }

    private func getTokenService(_ request: AdminRequest) async throws -> Response {
        .json(try await tokenServices.service(of: try request.serverID()).json)
    }

    /// Answers a secret that was drawn, this once.
    private func putTokenService(_ request: AdminRequest) async throws -> Response {
        let (id, isTrial) = (try request.serverID(), try request.flag("dryrun"))
        let body: AdminTokenServicePut = try await request.body()
        return .json(
            try await tokenServices.set(
                try body.address(), patience: try body.patience(), at: id, isTrial: isTrial, by: request.caller.actor, now: request.now
            ).json)
    }

    private func deleteTokenService(_ request: AdminRequest) async throws -> Response {
        try await tokenServices.remove(at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }

    private func setTokenServiceSecret(_ request: AdminRequest) async throws -> Response {
        let id = try request.serverID()
        let body: AdminTokenServiceSecret = try await request.body()
        return .json(try await tokenServices.setSecret(try body.given(), at: id, by: request.caller.actor, now: request.now).json)
    }
}

/// The body of putTokenService: the whole of it. The secret is no part of it, so that it can stand in a file.
struct AdminTokenServicePut: JSONFields {
    let url: String
    let timeout: JSONInteger?

    enum Field: String, CodingKey, CaseIterable { case url, timeout }

    func address() throws(FieldRefusal) -> TokenServiceAddress {
        guard let address = TokenServiceAddress(url) else {
            throw .bad("url", "is an https address, or http of this machine, without a query, of at most \(TokenServiceAddress.mostBytes) bytes")
        }
        return address
    }

    func patience() throws(FieldRefusal) -> UInt64 {
        guard let timeout else { return TokenService.usualPatience }
        guard let patience = UInt64(exactly: timeout.value), TokenService.patiences.contains(patience) else {
            throw .bad("timeout", "is \(TokenService.patiences.lowerBound) to \(TokenService.patiences.upperBound) seconds")
        }
        return patience
    }
}

/// The body of setTokenServiceSecret.
struct AdminTokenServiceSecret: JSONFields {
    let secret: String?

    enum Field: String, CodingKey, CaseIterable { case secret }

    func given() throws(FieldRefusal) -> TokenServiceSecret? {
        guard let secret else { return nil }
        guard let given = TokenServiceSecret(secret) else {
            let lengths = TokenServiceSecret.lengths
            throw .bad(
                "secret",
                "has \(lengths.lowerBound) to \(lengths.upperBound) letters, digits and -._~+/, and = at its end only; left out, one is drawn")
        }
        return given
    }
}

extension TokenService {
    /// The TokenService object of the REST API.
    fileprivate var json: JSONObject { JSONObject(["url": .string(address.text), "timeout": .integer(Int64(patience))]) }
}

extension TokenServiceOutcome {
    fileprivate var json: JSONObject {
        var object = service.json
        object["secret"] = drawn.map { .string($0.text) }
        return object
    }
}

extension NoTokenService: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        ErrorResponse(.notFound, "token_service_unknown", "this server has no token service, and gives no tokens by getToken")
    }
}
