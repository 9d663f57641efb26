import Foundation
import OstiaryTesting
import Synchronization
import Testing

/// The backend of a client, at a port of this machine: answers as it is told, and keeps what it was sent.
final class ListeningBackend: Sendable {
    /// One call, as it came.
    struct Call: Sendable {
        let line: String
        /// Names in lower case.
        let fields: [String: String]
        let body: String

        init(_ request: String) {
            let parts = request.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let head = (parts.first ?? "").split(separator: "\r\n")
            line = head.first.map(String.init) ?? ""
            body = parts.count > 1 ? String(parts[1]) : ""
            let pairs = head.dropFirst().map { field in
                let colon = field.firstIndex(of: ":") ?? field.endIndex
                return (field[..<colon].lowercased(), field[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
            }
            fields = Dictionary(pairs) { first, second in "\(first), \(second)" }
        }
    }

    private let server: RawServer

    /// - Parameter statuses: of its answers, one after the other, nil for a call that it hangs up on; after the last 200.
    init(_ statuses: [Int?] = []) throws {
        let left = Mutex(Array(statuses.reversed()))
        server = try RawServer { connection in
            guard let status = left.withLock({ $0.popLast() ?? 200 }) else { return }
            connection.send("HTTP/1.1 \(status) x\r\ncontent-length: 0\r\n\r\n")
        }
    }

    var calls: [Call] { server.requests.map { Call($0) } }

    func address(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    /// The logout tokens that came, each of which has to be all of a form.
    func logoutTokens() throws -> [String] {
        try calls.map { call in
            try #require(call.line == "POST /logout?tenant=1 HTTP/1.1" && call.fields["content-type"] == "application/x-www-form-urlencoded")
            try #require(call.body.hasPrefix("logout_token=") && !call.body.contains("&"))
            return String(call.body.dropFirst("logout_token=".count))
        }
    }
}
