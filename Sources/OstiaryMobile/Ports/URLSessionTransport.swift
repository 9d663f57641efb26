import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The system's HTTP client: https, or http to this very machine; no cookies, no cache, no redirects.
public final class URLSessionTransport: Transport {
    /// More than any answer of AP1: a message has at most 65 535 bytes, a logo 64 KiB.
    static let longestAnswer = 128 * 1_024

    private let session: URLSession

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: WithoutRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard ServerAddress.isAllowed(request.url) else { throw .addressRefused }
        var message = URLRequest(url: request.url, timeoutInterval: request.timeout)
        if let body = request.body {
            message.httpMethod = "POST"
            message.httpBody = Data(body)
            message.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        let answer: (data: Data, response: URLResponse)
        do { answer = try await session.data(for: message) } catch { throw Task.isCancelled ? .cancelled : .unreachable }
        guard let response = answer.response as? HTTPURLResponse else { throw .unreachable }
        guard answer.data.count <= Self.longestAnswer else { throw .tooLong }
        return TransportResponse(status: response.statusCode, body: Array(answer.data))
    }
}

/// A redirect would send a sealed request where its link did not point; nobody here answers with one.
private final class WithoutRedirects: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
