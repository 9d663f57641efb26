import Foundation

/// Why a server gave no answer.
public enum TransportError: Error, Sendable, Hashable {
    /// No network, no such host, no connection, or it broke, or time ran out.
    case unreachable
    /// Somebody answers whose certificate the system does not trust: made for another name, by an unknown authority, or out of its time.
    case untrusted
    /// The answer is longer than any answer may be.
    case tooLong
    /// Neither https nor loopback, or not an address.
    case addressRefused
    case cancelled
}

/// One call to a server.
public struct TransportRequest: Sendable, Hashable {
    public let url: URL
    /// Posted as `application/octet-stream`; nil is a GET.
    public let body: [UInt8]?
    /// Seconds until it counts as unreachable.
    public let timeout: Double

    public init(url: URL, body: [UInt8]?, timeout: Double) {
        self.url = url
        self.body = body
        self.timeout = timeout
    }
}

public struct TransportResponse: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Carries bytes to a server and back: no cookies, no cache, no redirects. What it carries protects itself.
public protocol Transport: Sendable {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}
