import HTTPTypes
import Hummingbird
import NIOCore

/// What the world hears of an error: a status, a word for programs and a sentence for people. Rendered as `{error, message, requestId}`, with `field`
/// where one is to blame, with `left` where tries are counted, and to clients of OAuth with `error_description`.
package struct ErrorResponse: Error, Equatable, Sendable {
    package let status: HTTPResponse.Status
    /// A stable word, lower case with underscores.
    package let error: String
    /// Lower case, no full stop; holds nothing internal.
    package let message: String
    /// The part of the request that is wrong, as the caller knows it: `announceinfo.logo`, `X-nonce`.
    package let field: String?
    /// How many tries there are left; nil where none are counted.
    package let left: Int?
    /// Additional headers, `WWW-Authenticate` or `Retry-After` for example.
    package let headers: HTTPFields

    package init(
        _ status: HTTPResponse.Status, _ error: String, _ message: String, field: String? = nil, left: Int? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.error = error
        self.message = message
        self.field = field
        self.left = left
        self.headers = headers
    }
}

/// A refusal of a domain that knows what the world may hear of it. Server targets extend the refusals of their domains with this, one `switch` each.
package protocol ErrorResponseConvertible: Error {
    var errorResponse: ErrorResponse { get }
}

extension ErrorResponse: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { self }
}

extension ErrorResponse {
    /// What every unforeseen error sounds like.
    package static let serverError = ErrorResponse(
        .internalServerError, "server_error", "the server failed; its operator finds the reason under the request id")

    package static func badRequest(_ message: String, field: String? = nil) -> ErrorResponse {
        ErrorResponse(.badRequest, "bad_request", message, field: field)
    }

    package static let notFound = ErrorResponse(.notFound, "not_found", "there is nothing here")
    package static let unauthorized = ErrorResponse(.unauthorized, "unauthorized", "no or wrong credentials")
    package static let contentTooLarge = ErrorResponse(.contentTooLarge, "content_too_large", "the request is larger than this server takes")
    package static let uriTooLong = ErrorResponse(.uriTooLong, "uri_too_long", "the address is longer than this server takes")
    package static let headTooLarge = ErrorResponse(
        .requestHeaderFieldsTooLarge, "head_too_large", "address and header fields are longer than this server takes")
    package static let overloaded = ErrorResponse(
        .serviceUnavailable, "overloaded", "too many requests are under way; try again in a few seconds", headers: [.retryAfter: "5"])
    /// The disk takes nothing, the database is held by another process or was lost, or the keys have ended. Its operator reads where and why in the
    /// log and at `/ready`. Whoever only reads hears the same, so it says nothing of writing.
    package static let storageUnavailable = ErrorResponse(
        .serviceUnavailable, "storage_unavailable", "the server cannot use its database or its keys at the moment; try again",
        headers: [.retryAfter: "30"])
    package static let shuttingDown = ErrorResponse(
        .serviceUnavailable, "shutting_down", "the server is stopping; try again", headers: [.retryAfter: "5"])

    /// The answer, as JSON.
    /// - Parameter isDescribed: whether the message stands as `error_description`, too (RFC 6749 §5.2).
    package func response(requestID: String, isDescribed: Bool = false) -> Response {
        Response(status: status, headers: fields, body: ResponseBody(byteBuffer: json(requestID: requestID, isDescribed: isDescribed)))
    }

    /// The answer of whoever stands before the routes, as JSON.
    func response(beforeRoutes requestID: String) -> Response {
        Response(status: status, headers: fields(beforeRoutes: requestID), body: ResponseBody(byteBuffer: json(requestID: requestID)))
    }

    /// The header fields of the answer with those that the middleware of the routes puts into every one.
    func fields(beforeRoutes requestID: String) -> HTTPFields {
        var fields: HTTPFields = self.fields
        fields[.requestID] = requestID
        fields[.xContentTypeOptions] = "nosniff"
        return fields
    }

    /// The header fields of the answer.
    var fields: HTTPFields {
        var fields = headers
        fields[.contentType] = "application/json; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The body of the answer.
    func json(requestID: String, isDescribed: Bool = false) -> ByteBuffer {
        JSONWriter.object { json in
            json.member("error", error)
            json.member("error_description", isDescribed ? message : nil)
            json.member("message", message)
            json.member("field", field)
            json.member("requestId", requestID)
            json.member("left", number: left)
        }
    }
}
