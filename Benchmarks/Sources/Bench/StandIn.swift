import Foundation

/// What stands behind a virtual server, a token service or a Data Service: here in this process, whose time is not metered. It reads a request and answers
/// every one with the same bytes, on a connection of its own, as it is asked.
final class StandIn: Sendable {
    let address: String
    private let descriptor: Int32

    init(answering body: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &place) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw BenchError("no port for a service") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/"
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
        Thread.detachNewThread { [descriptor] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Self.serve(connection, answer)
                close(connection)
            }
        }
    }

    /// Its thread ends with that.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private static func serve(_ connection: Int32, _ answer: [UInt8]) {
        var (request, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 16_384))
        // All of it: what is closed before it was read is reset, and nobody reads the answer.
        while !isWhole(request) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += buffer.prefix(count)
        }
        var sent = 0
        while sent < answer.count {
            let count = answer[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        let text = String(decoding: request, as: UTF8.self)
        guard let head = text.range(of: "\r\n\r\n") else { return false }
        let line = text[..<head.lowerBound].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) } ?? 0
        return text[head.upperBound...].utf8.count >= length
    }
}
