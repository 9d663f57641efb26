import HTTPTypes
import Hummingbird
import NIOCore

extension PageTexts {
    /// What a person is told whose visit goes no further.
    func problem(_ refusal: VisitRefusal, in language: PageLanguage) -> Response {
        var html = asset(.stale, in: language).bytes
        if case .refused(let why, _) = refusal { html = saying(why, asset(.refused, in: language).bytes) }
        return Response(
            status: .badRequest, headers: [.contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: html)))
    }

    /// The page with the sentence for whoever made the client, in the one place that it has for it.
    private func saying(_ why: String, _ html: [UInt8]) -> [UInt8] {
        Array(String(decoding: html, as: UTF8.self).replacing("</code>", with: "\(PageSource.escaped(why))</code>", maxReplacements: 1).utf8)
    }
}
