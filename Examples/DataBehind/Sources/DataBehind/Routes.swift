import Foundation
import Hummingbird
import NIOCore

/// One address, which only the authentication server asks.
func routes(taking secrets: CallerSecrets) -> Router<BasicRequestContext> {
    let notes = Notes()
    let router = Router()
    router.post("data") { request, _ in
        guard secrets.take(request.headers[.authorization]) else { return Response(status: .unauthorized) }
        // A question has 65,000 bytes at most, which base64url makes a third longer.
        let body = try await request.body.collect(upTo: 100_000)
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body.readableBytesView)), question.level == "device",
            let asked = question.asked, let wish = try? JSONDecoder().decode(NoteRequest.self, from: asked)
        else { return Response(status: .badRequest) }
        do {
            let answer = try await notes.answer(wish, of: question)
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
        } catch is Notes.Full {
            return Response(status: .forbidden)
        }
    }
    return router
}
