import Hummingbird

/// Why a request is not answered as asked, in the words of RFC 6749 §5.2 and RFC 8693 §2.2.2. Who nobody is logged in for hears it from the middleware.
enum TokenRefusal: String, HTTPResponseError {
    case invalidRequest = "invalid_request"
    case unsupportedGrantType = "unsupported_grant_type"
    /// No token is made for that audience.
    case invalidTarget = "invalid_target"
    case invalidScope = "invalid_scope"
    /// A backend that asks about a token has not shown who it is.
    case invalidClient = "invalid_client"
    /// As many tokens are about as are remembered, of this person or of all.
    case unavailable = "temporarily_unavailable"

    private struct Body: ResponseEncodable { let error: String }

    var status: HTTPResponse.Status {
        switch self {
        case .invalidRequest, .unsupportedGrantType, .invalidTarget, .invalidScope: .badRequest
        case .invalidClient: .unauthorized
        case .unavailable: .serviceUnavailable
        }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if self == .invalidClient { headers[.wwwAuthenticate] = #"Basic realm="token service""# }
        return try EditedResponse(status: status, headers: headers, response: Body(error: rawValue)).response(from: request, context: context)
    }
}
