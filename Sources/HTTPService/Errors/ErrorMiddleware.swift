import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// The one place where errors become answers, and where refusals are written down. Also puts the request id into every answer.
package struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    private let isOutage: @Sendable (any Error) async -> Bool
    private let told: @Sendable (any Error) -> any Error
    private let log = RefusalLog()

    /// - Parameters:
    ///   - isOutage: whether a fault passes by itself, as that of a full disk; it is answered with ``ErrorResponse/storageUnavailable``, which says nothing
    ///     of where it is. It may look before it answers.
    ///   - told: what the log says instead of such a fault.
    package init(
        outages isOutage: @Sendable @escaping (any Error) async -> Bool = { _ in false }, told: @Sendable @escaping (any Error) -> any Error = { $0 }
    ) {
        self.isOutage = isOutage
        self.told = told
    }

    package func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        let trace = RequestTrace(requestID: context.requestID, method: request.method.rawValue)
        return try await RequestTrace.$current.withValue(trace) {
            var response: Response
            do {
                response = try await next(request, context)
                if response.status.code >= 400 { log.refused(response.status, error: nil, context) }
            } catch let error as HTTPParserError {
                // The connection is beyond repair; the framework answers 400 and closes it.
                throw error
            } catch {
                response = await answer(to: error, context).response(requestID: trace.requestID, isDescribed: trace.describesErrors)
                for field in trace.fieldsOfErrors where response.headers[field.name] == nil { response.headers.append(field) }
            }
            response.headers[.requestID] = trace.requestID
            return response
        }
    }

    private func answer(to error: any Error, _ context: Context) async -> ErrorResponse {
        if await isOutage(error) {
            log.outage(error, saying: told(error), .storageUnavailable, context)
            return .storageUnavailable
        }
        let response = errorResponse(for: error, logger: context.logger)
        if response.status.code < 500 { log.refused(response.status, error: response.error, context) }
        return response
    }
}

/// Refusals say what they are; what nobody foresaw is logged and told as `server_error`.
func errorResponse(for error: any Error, logger: Logger) -> ErrorResponse {
    switch error {
    case let refusal as any ErrorResponseConvertible:
        return refusal.errorResponse
    case let error as HTTPError where error.status.code < 500:
        return ErrorResponse(error.status, word(for: error.status), error.body ?? error.status.reasonPhrase.lowercased(), headers: error.headers)
    case let error as any HTTPResponseError where error.status.code < 500:
        return ErrorResponse(error.status, word(for: error.status), error.status.reasonPhrase.lowercased())
    case is DecodingError:
        return .badRequest("the request's body is not what this call takes")
    case is CancellationError:
        return .shuttingDown
    default:
        logger.line(.error, "request failed", [.error: "\(error)", .reason: "\(type(of: error))"])
        return .serverError
    }
}

/// The reason phrase as a word for programs: `Content Too Large` is `content_too_large`.
func word(for status: HTTPResponse.Status) -> String {
    let words = status.reasonPhrase.lowercased().split { !$0.isLetter }
    return words.isEmpty ? "error" : words.joined(separator: "_")
}

extension HTTPField.Name {
    /// Names a request in the server's log.
    package static let requestID = HTTPField.Name("X-Request-Id")!
}

extension RequestContext {
    /// Names this request in log and answers. The framework keeps it in the logger and traps if the log handler drops it; this does not.
    package var requestID: String {
        (logger[metadataKey: LogKey.requestId.rawValue] ?? logger[metadataKey: "hb.request.id"])?.description ?? "none"
    }
}
