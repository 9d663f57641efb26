import Foundation

/// Why a server gave no answer.
public enum TransportError: Error, Sendable, Hashable {
    /// No network, no such host, no connection, or it broke, or time ran out.
    case unreachable
    /// Somebody answers whose certificate the system does not trust: made for another name, by an unknown authority, or out of its time.
    case untrusted
    /// The answer is longer than `TransportResponse.longestBody`, or says so of itself. No more of it was read.
    case tooLong
    /// The answer came with a content coding (RFC 9110 §8.4), which nobody asked for. It was not unpacked.
    case encoded
    /// Neither https nor loopback, or not an address.
    case addressRefused
    case cancelled
}

/// One call to a server.
public struct TransportRequest: Sendable, Hashable {
    public let url: URL
    /// Posted as `application/octet-stream`, unless `fields` name another type; nil is a GET.
    public let body: [UInt8]?
    /// Seconds until it counts as unreachable.
    public let timeout: Double
    /// Fields of the header that go with it, by their names in lower case, beside those of the transport. Calls for tokens have some.
    public let fields: [String: String]
    /// The fields of the answer's header that are told, by their names in lower case. Of one that comes twice none is told.
    public let answerFields: Set<String>

    public init(url: URL, body: [UInt8]?, timeout: Double, fields: [String: String] = [:], answerFields: Set<String> = []) {
        self.url = url
        self.body = body
        self.timeout = timeout
        self.fields = fields
        self.answerFields = answerFields
    }

    /// The fields of an answer that are told, out of all of them.
    package func told(of fields: some Sequence<(name: String, value: String)>) -> [String: String] {
        guard !answerFields.isEmpty else { return [:] }
        var told: [String: [String]] = [:]
        for (name, value) in fields where answerFields.contains(name.lowercased()) { told[name.lowercased(), default: []].append(value) }
        return told.compactMapValues { $0.count == 1 ? $0.first : nil }
    }
}

public struct TransportResponse: Sendable, Hashable {
    /// Bytes of the longest body that is an answer, whatever its status: more than a sealed answer whose body is full, which is 65 KiB, and than a logo
    /// of 64 KiB (protocol §4).
    public static let longestBody = 128 * 1_024

    /// The HTTP status.
    public let status: Int
    public let body: [UInt8]
    /// Those that `TransportRequest.answerFields` asked for, by their names in lower case.
    public let fields: [String: String]

    public init(status: Int, body: [UInt8], fields: [String: String] = [:]) {
        self.status = status
        self.body = body
        self.fields = fields
    }
}

/// They print where they go, and nothing of what they carry: a form to a token endpoint has a code or a refresh token in it, and an answer more of them.
extension TransportRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(body == nil ? "GET" : "POST") \(url.host ?? "")\(url.path) ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status) ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Carries bytes to a server and back: no cookies, no cache, no redirects. What it carries protects itself.
///
/// Anybody's code can lead a phone to a server that sends without end. So a transport reads no more of an answer than `TransportResponse.longestBody`,
/// asks with `Accept-Encoding: identity` and unpacks nothing, gives up when the time of the request is over, however the answer trickles, and returns at
/// once when its task is cancelled. A request with fields is sent once, and not again where its connection broke: a code of OAuth is good once.
public protocol Transport: Sendable {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}
