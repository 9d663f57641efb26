import HTTPTypes

/// Why a part of a request is refused before the domain is asked: a member of its body, a parameter of its query.
package enum FieldRefusal: Error, Equatable, Sendable {
    /// The field and what is wrong with it.
    case bad(String, String)
    /// A member or a parameter that the call does not have, and the one that was probably meant.
    case unknown(String, nearest: String?)
    case notJSON, notAnObject
}

extension FieldRefusal: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .bad(let field, let problem): .badRequest("\(field) \(problem)", field: field)
        case .unknown(let field, let nearest):
            ErrorResponse(
                .badRequest, "unknown_field", "this call has no \(field)" + (nearest.map { ": did you mean \($0)?" } ?? ""), field: field)
        case .notJSON: .badRequest("the body is not JSON")
        case .notAnObject: .badRequest("the body is not a JSON object")
        }
    }
}
