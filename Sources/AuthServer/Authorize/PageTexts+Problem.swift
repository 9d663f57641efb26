import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore

extension PageTexts {
    /// What a person is told whose visit goes no further.
    func problem(_ refusal: VisitRefusal, in language: PageLanguage) -> Response {
        let html: [UInt8]
        var status = HTTPResponse.Status.badRequest
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue]
        switch refusal {
        case .refused(let why, _): html = saying(why, asset(.refused, in: language).bytes)
        case .tooMany(let waiting):
            html = asset(.trouble, in: language).bytes
            let answer = waiting.errorResponse
            status = answer.status
            headers[.retryAfter] = answer.headers[.retryAfter]
        case .over, .changed, .tooOften: html = asset(.stale, in: language).bytes
        }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: html)))
    }

    /// The page with the sentence for whoever made the client, in the one place that it has for it.
    private func saying(_ why: String, _ html: [UInt8]) -> [UInt8] {
        Array(String(decoding: html, as: UTF8.self).replacing("</code>", with: "\(PageSource.escaped(why))</code>", maxReplacements: 1).utf8)
    }
}
