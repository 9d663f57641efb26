import Hummingbird
import OstiaryResourceHummingbird

/// What no rule here foresees, such as a disk that is full, is told to the operator by the log, with the request's id, and to the caller as nothing but that it did
/// not happen. Hummingbird by itself would answer with an empty body and write no line.
struct UnforeseenMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: CallerContext, next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as any HTTPResponseError { throw error } catch {
            context.logger.error("request failed", metadata: ["reason": "\(error)"])
            throw Fault.unforeseen
        }
    }
}
