import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a `URLSession` reports, call by call: collects answers up to their longest length, follows no redirect.
final class URLSessionCalls: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<TransportResponse, TransportError>

    /// More than any answer of AP1: a message has at most 65 535 bytes, a logo 64 KiB.
    static let longestAnswer = 128 * 1_024

    private enum Call {
        case running(CheckedContinuation<Outcome, Never>, [UInt8])
        /// Ended before it began.
        case ended(Outcome)
    }

    private let calls = Mutex<[Int: Call]>([:])

    /// Begins a call whose outcome `continuation` gets, exactly once.
    func begin(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Outcome, Never>) {
        let outcome = calls.withLock { calls -> Outcome? in
            if case .ended(let outcome)? = calls.removeValue(forKey: task.taskIdentifier) { return outcome }
            calls[task.taskIdentifier] = .running(continuation, [])
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) } else { task.resume() }
    }

    /// Gives a call its outcome, unless it has one.
    func end(_ identifier: Int, _ outcome: Outcome) {
        let continuation = calls.withLock { calls -> CheckedContinuation<Outcome, Never>? in
            guard case .running(let continuation, _)? = calls.removeValue(forKey: identifier) else {
                calls[identifier] = .ended(outcome)
                return nil
            }
            return continuation
        }
        continuation?.resume(returning: outcome)
    }

    /// After a call has its outcome: whatever came too late for it.
    func forget(_ identifier: Int) { _ = calls.withLock { $0.removeValue(forKey: identifier) } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = calls.withLock { calls -> Bool in
            guard case .running(let continuation, let bytes)? = calls[dataTask.taskIdentifier] else { return false }
            guard bytes.count + data.count <= Self.longestAnswer else { return true }
            calls[dataTask.taskIdentifier] = .running(continuation, bytes + data)
            return false
        }
        guard isTooLong else { return }
        finish(dataTask, .failure(.tooLong))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let bytes = calls.withLock { calls -> [UInt8] in
            guard case .running(_, let bytes)? = calls[task.taskIdentifier] else { return [] }
            return bytes
        }
        guard error == nil, let response = task.response as? HTTPURLResponse else { return finish(task, .failure(.unreachable)) }
        finish(task, .success(TransportResponse(status: response.statusCode, body: bytes)))
    }

    /// A redirect would send a sealed request where its link did not point: its own status is the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// The client's last word on a call: nothing of it is kept.
    private func finish(_ task: URLSessionTask, _ outcome: Outcome) {
        let continuation = calls.withLock { calls -> CheckedContinuation<Outcome, Never>? in
            guard case .running(let continuation, _)? = calls.removeValue(forKey: task.taskIdentifier) else { return nil }
            return continuation
        }
        continuation?.resume(returning: outcome)
    }
}
