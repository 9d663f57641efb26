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
    private let log = RefusalLog()

    init(responder: any HTTPResponder<ServiceRequestContext>, budget: BodyBudget, logger: Logger) {
        self.responder = responder
        self.budget = budget
        self.logger = logger
    }

    func answer(_ request: Request, on channel: any Channel, to writer: consuming ResponseWriter) async throws {
        var logger = logger
        logger[metadataKey: LogKey.requestId.rawValue] = .string(RequestName.next())
        let context = ServiceRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger), otherEnd: OtherEnd(channel))
        let expected = Expectation(of: request.head)
        let invitation = expected == .invitation ? Invitation(on: channel) : nil
        var response = try await BodyBudget.$current.withValue(budget) { try await respond(to: request, expected, invitation, context) }
        // It may wait for ever with a body that nobody asked for, or have begun one that is too large: what comes next on this connection is not known.
        let isLast = expected == .unknown || invitation?.end() == true || response.status == .contentTooLarge
        // Behind the last request the framework ends the connection (``ConnectionRules``): who knows of it sends nothing more on it. That the server stops says
        // ``Farewell``.
        if isLast || request.headers[.connection] == "close" { response.headers[.connection] = "close" }
        response.headers[.date] = HTTPDate.now
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // Not told as such: the connection would answer a second time.
            throw BrokenRequest()
        }
        if isLast {
            channel.close(mode: .output, promise: nil)
            // Requests that came before the answer was written wait already, and get none.
            try? await channel.closeFuture.get()
        }
    }

    private func respond(
        to request: Request, _ expected: Expectation?, _ invitation: Invitation?, _ context: ServiceRequestContext
    ) async throws -> Response {
        if expected == .unknown {
            log.refused(Expectation.failed.status, error: Expectation.failed.error, context)
            return Expectation.failed.response(beforeRoutes: context.requestID)
        }
        var request = request
        if let invitation { request.body = invitation.body(request.body) }
        return try await respond(to: request, context)
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
