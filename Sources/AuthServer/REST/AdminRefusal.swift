import HTTPService
import HTTPTypes

/// Why a request of the REST API is refused before the domain is asked.
enum AdminRefusal: Error, Equatable {
    case keyMissing, keyWrong
    case badPath(String)
    case accountUnknown
    /// The account has no second factor, and is asked for what only one with it may do.
    case accountHeadless
    /// `serverid` or `serverpk` in an update has another value than it has.
    case immutable(String)
    /// No application and no API was made, so there are no keys for tokens.
    case noProvider
}

extension AdminRefusal: ErrorResponseConvertible {
    /// HTTP has no scheme for keys in a header of their own; this one says which header.
    private static let challenge = #"ApiKey realm="ostiary", header="X-apikey""#

    var errorResponse: ErrorResponse {
        switch self {
        // Both sound the same, so that nobody learns whether a key was nearly right.
        case .keyMissing, .keyWrong:
            ErrorResponse(.unauthorized, "unauthorized", "send a valid API key as X-apikey", headers: [.wwwAuthenticate: Self.challenge])
        case .badPath(let field): .badRequest("\(field) in the address cannot be read", field: field)
        case .accountUnknown: ErrorResponse(.notFound, "account_unknown", "this server has no such account")
        case .accountHeadless:
            ErrorResponse(.conflict, "account_headless", "the account has no second factor: it logs in nowhere, and there is nothing to reset")
        case .immutable(let field): ErrorResponse(.badRequest, "immutable", "\(field) cannot be changed", field: field)
        case .noProvider: ErrorResponse(.conflict, "no_provider", "no keys were made yet: they are with the first application or API")
        }
    }
}
