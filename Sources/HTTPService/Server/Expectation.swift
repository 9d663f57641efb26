import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What a client expects before it sends its body (RFC 9110 §10.1.1).
enum Expectation {
    /// To be told that the body is wanted.
    case invitation
    /// Something that this server does not know.
    case unknown

    /// Nil when nothing is expected, or there is no body to wait with.
    init?(of head: HTTPRequest) {
        guard let field = head.headerFields[.expect] else { return nil }
        let expected = field.split(separator: ",").map { $0.trimming(while: { $0 == " " || $0 == "\t" }).lowercased() }
        let words = expected.filter { !$0.isEmpty }
        guard words.allSatisfy({ $0 == "100-continue" }) else {
            self = .unknown
            return
        }
        guard !words.isEmpty, Self.hasBody(head) else { return nil }
        self = .invitation
    }

    private static func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || head.headerFields[.contentLength].map { $0 != "0" } == true
    }

    static let failed = ErrorResponse(.expectationFailed, "expectation_failed", "this server meets no expectation but 100-continue")
}

extension Substring {
    fileprivate func trimming(while isSpace: (Character) -> Bool) -> Substring {
        let rest = drop(while: isSpace)
        return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? ""
    }
}

/// The word to a client that waits with its body: 100, when a route begins to read it. Whoever is refused before that sends none.
final class Invitation: Sendable {
    private enum State { case waiting, invited, answered }

    private let channel: any Channel
    private let state = Mutex(State.waiting)

    init(on channel: any Channel) { self.channel = channel }

    /// The body, which asks for itself when it is read.
    func body(_ body: RequestBody) -> RequestBody { RequestBody(asyncSequence: InvitedBody(body: body, invitation: self)) }

    /// From now on there is nothing but the answer.
    /// - Returns: whether the client waited until then.
    func end() -> Bool {
        state.withLock { state in
            defer { state = .answered }
            return state == .waiting
        }
    }

    fileprivate func send() async throws {
        let isFirst = state.withLock { state in
            guard state == .waiting else { return false }
            state = .invited
            return true
        }
        if isFirst { try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get() }
    }
}

private struct InvitedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let invitation: Invitation

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator(), invitation: invitation) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: RequestBody.AsyncIterator
        let invitation: Invitation

        mutating func next() async throws -> ByteBuffer? {
            try await invitation.send()
            return try await pieces.next()
        }
    }
}
