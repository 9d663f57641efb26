import Foundation
import Hummingbird
import NIOCore

/// One address, which only the authentication server asks.
func routes(taking secrets: CallerSecrets, giving source: any TokenSource) -> Router<BasicRequestContext> {
    let given = GivenTokens(source)
    let router = Router()
    router.post("token") { request, context in
        guard secrets.take(request.headers[.authorization]) else { return Response(status: .unauthorized) }
        let body = try await request.body.collect(upTo: 16_384)
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body.readableBytesView))
        else { return Response(status: .badRequest) }
        do {
            let token = try await given.token(for: question)
            return Response(
                status: .ok, headers: [.contentType: token.contentType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: token.bytes)))
        } catch is NoToken {
            return Response(status: .forbidden)
        } catch {
            context.logger.warning("no token", metadata: ["reason": "\(error)"])
            return Response(status: .serviceUnavailable)
        }
    }
    return router
}
