import HTTPService
import HTTPTypes

/// Why a request of the REST API is refused before the domain is asked.
enum AdminRefusal: Error, Equatable {
    case keyMissing, keyWrong
    case badPath(String)
    /// The field and what is wrong with it.
    case badField(String, String)
    /// A member of the body or a parameter of the query that the call does not have, and the one that was probably meant.
    case unknownField(String, nearest: String?)
    case badJSON, bodyNotObject
    case accountUnknown
    /// `serverid` or `serverpk` in an update has another value than it has.
    case immutable(String)
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
        case .badField(let field, let problem): .badRequest("\(field) \(problem)", field: field)
        case .unknownField(let field, let nearest):
            ErrorResponse(
                .badRequest, "unknown_field", "this call has no \(field)" + (nearest.map { ": did you mean \($0)?" } ?? ""), field: field)
        case .badJSON: .badRequest("the body is not JSON")
        case .bodyNotObject: .badRequest("the body is not a JSON object")
        case .accountUnknown: ErrorResponse(.notFound, "account_unknown", "this server has no such account")
        case .immutable(let field): ErrorResponse(.badRequest, "immutable", "\(field) cannot be changed", field: field)
        }
    }
}
