import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The system's HTTP client: https, or http to this very machine; no cookies, no cache, no redirects.
///
/// A certificate has to be one that the system trusts. On Linux that is the system's own store (`/etc/ssl/certs`): the client reads neither
/// `SSL_CERT_FILE` nor `URLSessionCertificateAuthorityInfoFile`, which is for Android only. A test server with a certificate of its own authority is
/// trusted once that is put into the store (`update-ca-certificates` on Debian).
///
/// On Linux it does not keep all that a `Transport` promises: the client there unpacks an answer that is packed, whatever was asked for, keeps what it
/// unpacked until somebody has taken it, and is done with that before it can be cancelled. 600 KB from a server that means harm take 600 MB so. An app on
/// Linux that follows the codes of strangers brings a transport of its own; `ostiary phone` does.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let calls = URLSessionCalls()

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: calls, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard ServerAddress.isAllowed(request.url) else { throw .addressRefused }
        let task = session.dataTask(with: Self.message(request))
        calls.register(task, request)
        defer { calls.forget(task.taskIdentifier) }
        // The client's own time limit begins again with every byte, and on Linux does not end a silent connection.
        let limit = Task { [calls] in
            try await Task.sleep(for: .milliseconds(Int64(request.timeout * 1_000)))
            calls.end(task.taskIdentifier, .failure(.unreachable))
            task.cancel()
        }
        defer { limit.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { calls.begin(task, $0) }
        } onCancel: {
            calls.end(task.taskIdentifier, .failure(.cancelled))
            task.cancel()
        }
        return try result.get()
    }

    private static func message(_ request: TransportRequest) -> URLRequest {
        var message = URLRequest(url: request.url, timeoutInterval: request.timeout + 5)
        message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let body = request.body {
            message.httpMethod = "POST"
            message.httpBody = Data(body)
            message.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
        return message
    }
}
