import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a `URLSession` reports, call by call: collects answers up to their longest length, follows no redirect.
final class URLSessionCalls: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<TransportResponse, TransportError>

    /// A call from `register` to `forget`. Whoever ends it first decides, and what comes later, or from elsewhere, is left out.
    private enum Call {
        /// Nobody waits for it yet.
        case registered
        case running(CheckedContinuation<Outcome, Never>, [UInt8])
        case ended(Outcome)
    }

    private let calls = Mutex<[Int: Call]>([:])
    private let requests = Mutex<[Int: TransportRequest]>([:])

    /// Makes a call known, before anything can end it.
    /// - Parameter request: whose fields of the answer are told; nil for none.
    func register(_ task: URLSessionTask, _ request: TransportRequest? = nil) {
        calls.withLock { $0[task.taskIdentifier] = .registered }
        requests.withLock { $0[task.taskIdentifier] = request }
    }

    /// Begins a call whose outcome `continuation` gets, exactly once; at once if the call was ended before it began.
    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Outcome, Never>) {
        let outcome = calls.withLock { calls -> Outcome? in
            if case .ended(let outcome)? = calls[task.taskIdentifier] { return outcome }
            calls[task.taskIdentifier] = .running(continuation, [])
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) } else { task.resume() }
    }

    /// Gives a call its outcome, unless it has one.
    func end(_ identifier: Int, _ outcome: Outcome) {
        let continuation = calls.withLock { calls -> CheckedContinuation<Outcome, Never>? in
            switch calls[identifier] {
            case nil, .ended?: return nil
            case .registered?:
                calls[identifier] = .ended(outcome)
                return nil
            case .running(let continuation, _)?:
                calls[identifier] = .ended(outcome)
                return continuation
            }
        }
        continuation?.resume(returning: outcome)
    }

    /// After a call has its outcome: nothing of it is kept.
    func forget(_ identifier: Int) {
        _ = calls.withLock { $0.removeValue(forKey: identifier) }
        _ = requests.withLock { $0.removeValue(forKey: identifier) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = calls.withLock { calls -> Bool in
            guard case .running(let continuation, let bytes)? = calls[dataTask.taskIdentifier] else { return false }
            guard bytes.count + data.count <= TransportResponse.longestBody else { return true }
            calls[dataTask.taskIdentifier] = .running(continuation, bytes + data)
            return false
        }
        guard isTooLong else { return }
        end(dataTask.taskIdentifier, .failure(.tooLong))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let bytes = calls.withLock { calls -> [UInt8] in
            guard case .running(_, let bytes)? = calls[task.taskIdentifier] else { return [] }
            return bytes
        }
        if let error { return end(task.taskIdentifier, .failure(TransportError(error))) }
        guard let response = task.response as? HTTPURLResponse else { return end(task.taskIdentifier, .failure(.unreachable)) }
        let request = requests.withLock { $0[task.taskIdentifier] }
        // The client has joined those of one name already.
        let fields = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name: name, value: value)
        }
        end(task.taskIdentifier, .success(TransportResponse(status: response.statusCode, body: bytes, fields: request?.told(of: fields) ?? [:])))
    }

    /// A redirect would send a sealed request where its link did not point: its own status is the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}

extension TransportError {
    /// What the system's client says of a call that came to nothing.
    init(_ error: any Error) { self = Self.isAboutCertificate(error as NSError) ? .untrusted : .unreachable }

    /// A certificate that nobody vouches for, of another host, or out of its time. On Linux the client has no number for it, only the words of the
    /// TLS library below.
    private static func isAboutCertificate(_ error: NSError) -> Bool {
        guard error.domain == NSURLErrorDomain else { return false }
        switch error.code {
        // Bad date, untrusted, unknown root, not yet valid; by number, because not every platform has all the names right.
        case -1204 ... -1201: return true
        case NSURLErrorUnknown:
            return ["SSL certificate problem", "SSL: no alternative certificate", "SSL: certificate", "server certificate verification failed"]
                .contains { error.localizedDescription.hasPrefix($0) }
        default: return false
        }
    }
}
