import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// From a request to the answer on its connection: gives the request its id, asks the routes, writes what they say.
struct Answering: Sendable {
    let responder: any HTTPResponder<ServiceRequestContext>
    /// Of the bodies that are read here.
    let budget: BodyBudget
    let logger: Logger

    func answer(_ request: Request, on channel: any Channel, to writer: consuming ResponseWriter) async throws {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        let context = ServiceRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response = try await BodyBudget.$current.withValue(budget) { try await respond(to: request, context) }
        response.headers[.date] = HTTPDate.now
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // Not told as such: the connection would answer a second time.
            throw BrokenRequest()
        }
    }

    private func respond(to request: Request, _ context: ServiceRequestContext) async throws -> Response {
        do {
            return try await responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            context.logger.error("request failed outside the routes", metadata: ["error": "\(error)"])
            return Response(status: .internalServerError)
        }
    }
}

/// The request turned out to be none while its answer was written.
private struct BrokenRequest: Error {}
