import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryTokens

/// The services behind a virtual server: the one that gives tokens (docs/token-service.md), and the one that answers devices (docs/data-service.md).
extension AdminRoutes {
    /// The calls about the services of one kind.
    /// - Parameter name: of the kind, as it stands in addresses.
    func serviceTable(_ name: String, _ services: ServiceSettings) -> [AdminRoute] {
        let (path, calls) = ("/servers/{serverid}/\(name)/", AdminServiceCalls(services: services))
        return [
            AdminRoute(.get, path, calls.get),
            AdminRoute(.put, path, query: ["dryrun"], hasBody: true, calls.put),
            AdminRoute(.delete, path, calls.delete),
            AdminRoute(.post, path + "secret", hasBody: true, calls.setSecret),
        ]
    }
}

private struct AdminServiceCalls: Sendable {
    let services: ServiceSettings

    @Sendable
    func get(_ request: AdminRequest) async throws -> Response { .json(try await services.service(of: try request.serverID()).json) }

    /// Answers a secret that was drawn, this once.
    @Sendable
    func put(_ request: AdminRequest) async throws -> Response {
        let (id, isTrial) = (try request.serverID(), try request.flag("dryrun"))
        let body: AdminServicePut = try await request.body()
        return .json(
            try await services.set(
                try body.address(), patience: try body.patience(), at: id, isTrial: isTrial, by: request.caller.actor, now: request.now
            ).json)
    }

    @Sendable
    func delete(_ request: AdminRequest) async throws -> Response {
        try await services.remove(at: try request.serverID(), by: request.caller.actor, now: request.now)
        return .done
    }

    @Sendable
    func setSecret(_ request: AdminRequest) async throws -> Response {
        let id = try request.serverID()
        let body: AdminServiceSecret = try await request.body()
        return .json(try await services.setSecret(try body.given(), at: id, by: request.caller.actor, now: request.now).json)
    }
}

/// The body of putTokenService and putDataService: the whole of it. The secret is no part of it, so that it can stand in a file.
struct AdminServicePut: JSONFields {
    let url: String
    let timeout: JSONInteger?

    enum Field: String, CodingKey, CaseIterable { case url, timeout }

    func address() throws(FieldRefusal) -> ServiceAddress {
        guard let address = ServiceAddress(url) else {
            throw .bad("url", "is an https address, or http of this machine, without a query, of at most \(ServiceAddress.mostBytes) bytes")
        }
        return address
    }

    func patience() throws(FieldRefusal) -> UInt64 {
        guard let timeout else { return ServiceBehind.usualPatience }
        guard let patience = UInt64(exactly: timeout.value), ServiceBehind.patiences.contains(patience) else {
            throw .bad("timeout", "is \(ServiceBehind.patiences.lowerBound) to \(ServiceBehind.patiences.upperBound) seconds")
        }
        return patience
    }
}

/// The body of setTokenServiceSecret and setDataServiceSecret.
struct AdminServiceSecret: JSONFields {
    let secret: String?

    enum Field: String, CodingKey, CaseIterable { case secret }

    func given() throws(FieldRefusal) -> ServiceSecret? {
        guard let secret else { return nil }
        guard let given = ServiceSecret(secret) else {
            let lengths = ServiceSecret.lengths
            throw .bad(
                "secret",
                "has \(lengths.lowerBound) to \(lengths.upperBound) letters, digits and -._~+/, and = at its end only; left out, one is drawn")
        }
        return given
    }
}

extension ServiceBehind {
    /// The ServiceBehind object of the REST API.
    fileprivate var json: JSONObject { JSONObject(["url": .string(address.text), "timeout": .integer(Int64(patience))]) }
}

extension ServiceOutcome {
    fileprivate var json: JSONObject {
        var object = service.json
        object["secret"] = drawn.map { .string($0.text) }
        return object
    }
}

extension NoServiceBehind: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch kind {
        case .token: ErrorResponse(.notFound, "token_service_unknown", "this server has no token service, and gives no tokens by getToken")
        case .data: ErrorResponse(.notFound, "data_service_unknown", "this server has no Data Service, and answers no getData")
        }
    }
}
