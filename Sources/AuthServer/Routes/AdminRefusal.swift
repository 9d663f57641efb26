import HTTPService
import HTTPTypes

/// Why a request of the REST API is refused before the domain is asked.
enum AdminRefusal: Error, Equatable {
    case keyMissing, keyWrong
    case badPath(String)
    /// The field and what is wrong with it.
    case badField(String, String)
    case badJSON, bodyNotObject
    case accountUnknown
    /// `serverid` or `serverpk` in an update has another value than it has.
    case immutable(String)
}

extension AdminRefusal: ErrorResponseConvertible {
    var errorResponse: ErrorResponse {
        switch self {
        // Both sound the same, so that nobody learns whether a key was nearly right.
        case .keyMissing, .keyWrong: ErrorResponse(.unauthorized, "unauthorized", "send a valid API key as X-apikey")
        case .badPath(let field): .badRequest("\(field) in the address cannot be read")
        case .badField(let field, let problem): .badRequest("\(field) \(problem)")
        case .badJSON: .badRequest("the body is not JSON")
        case .bodyNotObject: .badRequest("the body is not a JSON object")
        case .accountUnknown: ErrorResponse(.notFound, "account_unknown", "this server has no such account")
        case .immutable(let field): ErrorResponse(.badRequest, "immutable", "\(field) cannot be changed")
        }
    }
}
