import HTTPTypes
import Hummingbird
import NIOCore

/// Values of fields that nearly every answer has.
enum AnswerFields {
    static let json = "application/json; charset=utf-8"
    static let notKept = "no-store"
}

/// The answers that routes give. None of them is kept by a cache.
extension Response {
    /// One value in JSON.
    package static func json(status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Response {
        content(status, JSONWriter.text(write), AnswerFields.json)
    }

    /// One object in JSON.
    package static func object(status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void) -> Response {
        .json(status: status) { $0.object(members) }
    }

    /// The answer of a call that only does something.
    package static var done: Response { .object { _ in } }

    package static func text(_ text: String) -> Response {
        content(.ok, ByteBuffer(string: text), "text/plain; charset=utf-8")
    }

    package static func octets(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        content(status, ByteBuffer(bytes: bytes), "application/octet-stream")
    }

    package static func picture(_ bytes: [UInt8], _ type: String) -> Response {
        content(.ok, ByteBuffer(bytes: bytes), type)
    }

    private static func content(_ status: HTTPResponse.Status, _ bytes: ByteBuffer, _ type: String) -> Response {
        Response(status: status, headers: [.contentType: type, .cacheControl: AnswerFields.notKept], body: ResponseBody(byteBuffer: bytes))
    }
}
