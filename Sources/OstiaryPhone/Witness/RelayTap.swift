import HTTPTypes

/// Listens at a relay.
protocol RelayTap: Sendable {
    /// A request passes.
    /// - Returns: whoever hears its answer; nil when it is none of this listener's business, and nobody collects it.
    func heard(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) async -> AnswerTap?

    /// An answer begins to pass that nobody collects: a page, a picture, a stream of events.
    /// - Returns: whoever hears its parts.
    func watched(_ path: String, _ headers: HTTPFields) -> PartTap?
}

/// Hears the status and the body of an answer.
typealias AnswerTap = @Sendable (_ status: Int, _ body: [UInt8]) async -> Void

/// Hears the parts of an answer, one after the other, and an empty one at its end, however that came.
typealias PartTap = @Sendable (_ part: [UInt8]) -> Void

extension RelayTap {
    func watched(_ path: String, _ headers: HTTPFields) -> PartTap? { nil }
}
