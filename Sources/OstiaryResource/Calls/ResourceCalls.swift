/// How a resource server calls its provider: one request, one answer. `HTTPResourceCalls` is the one that is there; an API with a proxy of its own, or a
/// client of its own, writes another.
public protocol ResourceCalls: Sendable {
    /// Where a call is sent a second time, as when a kept connection ended, that is ``ResourceCall/anew()``.
    /// - Returns: the answer as it came. A redirect is not followed: its status says that it is no answer.
    /// - Throws: anything, when there was no whole answer in time, or one with more bytes than ``ResourceCall/mostBytes``.
    func answer(to call: ResourceCall) async throws -> CallAnswer
}

/// One request to a provider. It may carry secrets, and prints as its method and address.
public struct ResourceCall: Sendable, CustomStringConvertible, CustomReflectable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// What it is for, by which the two can be kept apart: connections that questions wait on are none that keys wait for.
    public enum Purpose: Sendable {
        /// What the provider publishes, metadata and keys: seldom, and everybody waits for it.
        case publication
        /// About one token or webNonce: as often as requests come.
        case question
    }

    public let method: Method
    /// Absolute; https, or http where the settings allow it.
    public let address: String
    public let fields: [(name: String, value: String)]
    /// Nil for GET.
    public let body: [UInt8]?
    /// How many bytes the body of the answer may have.
    public let mostBytes: Int
    public let purpose: Purpose
    private let remade: (@Sendable () throws -> ResourceCall)?

    /// For the tests of whoever writes `ResourceCalls`; the verifier makes its own.
    /// `anew` makes it for a second time, where it carries what is taken once; it is nil where the call may go out twice as it is.
    public init(
        method: Method, address: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil, mostBytes: Int,
        purpose: Purpose = .publication, anew: (@Sendable () throws -> ResourceCall)? = nil
    ) {
        self.method = method
        self.address = address
        self.fields = fields
        self.body = body
        self.mostBytes = mostBytes
        self.purpose = purpose
        remade = anew
    }

    /// What goes out in its place where its connection ended before an answer: the same question, in which an assertion is another, since a provider that has
    /// heard the first takes it no more (RFC 7523 §3).
    /// - Throws: what making it throws.
    public func anew() throws -> ResourceCall { try remade?() ?? self }

    public var description: String { "\(method.rawValue) \(address)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a provider answered.
public struct CallAnswer: Sendable {
    public let status: Int
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// That an answer had more bytes than may be. Whoever writes `ResourceCalls` throws it, so that the log says why.
public struct AnswerTooLarge: Error, Equatable, Sendable {
    public init() {}
}

extension ResourceCall {
    /// Questions of one kind that may be under way at a time.
    static let mostQuestions = 64
}

extension ResourceCalls {
    /// The body of an answer with 200.
    func body(of call: ResourceCall) async throws(Outage) -> [UInt8] {
        let answer: CallAnswer
        do { answer = try await self.answer(to: call) } catch is AnswerTooLarge { throw .answerTooLarge } catch { throw .unreachable }
        guard answer.status == 200 else { throw .status(answer.status) }
        guard answer.body.count <= call.mostBytes else { throw .answerTooLarge }
        return answer.body
    }
}
