import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What the endpoints answer: JSON that nobody in between keeps (RFC 6749 §5.1).
extension Response {
    private static let fields: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store", .pragma: "no-cache"]

    static func provider(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.encoded)))
    }

    /// RFC 6749 §5.2, with the fields that the RFC of each word wants.
    static func provider(_ error: OAuthError) -> Response {
        var response = provider(
            JSONObject(["error": .string(error.code.rawValue), "error_description": .string(error.description)]),
            status: HTTPResponse.Status(code: error.status))
        response.headers[.wwwAuthenticate] = error.challenge
        response.headers[.dpopNonce] = error.nonce
        response.headers[.retryAfter] = error.retryAfter.map { "\($0)" }
        return response
    }
}

extension OAuthRoutes {
    /// The answer of an endpoint for clients, or what becomes of its refusal. Faults of ours are thrown on.
    func answering(_ call: OAuthCall, _ body: (TokenCall) async throws -> Response) async throws -> Response {
        var asking: TokenCall?
        do {
            let call = try await call.ofClient()
            asking = call
            return try await body(call)
        } catch let refusal as TokenRefusal {
            note(refusal.reason, of: asking)
            alarm(of: refusal, call)
            return .provider(refusal.answer(nonce: call.nonces.current(at: call.now)))
        } catch let refusal as BackchannelRefusal {
            note("\(refusal)", of: asking)
            return .provider(refusal.answer(nonce: call.nonces.current(at: call.now)))
        } catch let refusal as AuthorizeRefusal {
            note(refusal.reason, of: asking)
            return .provider(refusal.answer)
        } catch let many as TooManyWaiting {
            note(many.reason, of: asking)
            return .provider(many.answer)
        }
    }

    /// For the line that says what was refused, and to whom.
    private func note(_ reason: String, of asking: TokenCall?) {
        RequestTrace.current?.note(.reason, reason)
        if let client = asking?.namedClient { RequestTrace.current?.note(.client, client.text) }
    }

    /// A line of its own where two had what only one may have.
    private func alarm(of refusal: TokenRefusal, _ call: OAuthCall) {
        guard refusal.isAlarm, let heldBack = alarms.admit("\(refusal)") else { return }
        var facts: [LogKey: String] = [:]
        if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
        call.logger.line(.warning, "a code or token was used twice", facts)
    }
}
