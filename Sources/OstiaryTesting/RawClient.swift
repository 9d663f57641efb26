import Foundation
import Synchronization

/// A connection to a port of this machine on which a test writes every byte. Its calls hold their thread: whoever makes them does so on one of its own.
package final class RawClient: Sendable {
    private let descriptor: Int32
    /// What came behind the last answer.
    private let rest = Mutex<[UInt8]>([])
    private let hasClosed = Mutex(false)

    /// Seconds after which a silent other end counts as one that has closed.
    private static let patience = 300

    /// - Throws: when nobody listens there.
    package init(port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isOpen = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
        guard isOpen else { throw NobodyListens() }
    }

    deinit { end() }

    /// How a client leaves an answer that has no end.
    package enum Leaving: CaseIterable, Sendable {
        /// It closes the connection, as a browser does whose tab was closed.
        case closing
        /// It closes its half, and goes on taking what comes.
        case halfClosing
        /// It breaks the connection off.
        case resetting
    }

    /// Leaves; only who has closed half may hear anything afterwards.
    package func leave(_ way: Leaving) {
        switch way {
        case .closing: end()
        case .halfClosing: shutdown(descriptor, Int32(SHUT_WR))
        case .resetting:
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            end()
        }
    }

    /// Once: the number of the descriptor is another's then.
    private func end() {
        let isFirst = hasClosed.withLock { hasClosed in
            defer { hasClosed = true }
            return !hasClosed
        }
        if isFirst { close(descriptor) }
    }

    /// Sends pieces, then that there are no more, and answers all that comes until the other end closes.
    package static func exchange(port: Int, _ pieces: [[UInt8]]) throws -> [UInt8] {
        let client = try RawClient(port: port)
        for piece in pieces { client.send(piece) }
        client.leave(.halfClosing)
        while client.receive() {}
        return client.rest.withLock { $0 }
    }

    /// What the other end takes of it: one that has closed takes nothing.
    package func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Self.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Asks, and answers the next answer that says how long it is: its head and its content. What came, where the other end closes before.
    package func ask(_ text: String) -> String {
        send(Array(text.utf8))
        while true {
            if let answer = rest.withLock({ Self.takeAnswer(from: &$0) }) { return String(decoding: answer, as: UTF8.self) }
            guard receive() else { return rest.withLock { String(decoding: $0, as: UTF8.self) } }
        }
    }

    /// All that came and was not answered yet, when `text` is in it or the other end closes before.
    package func hear(_ text: String) -> String {
        while true {
            let came = rest.withLock { String(decoding: $0, as: UTF8.self) }
            guard !came.contains(text), receive() else { return came }
        }
    }

    /// Whether the other end closes without another byte, and without a reset.
    package func endsInOrder() -> Bool {
        var byte: UInt8 = 0
        return rest.withLock(\.isEmpty) && recv(descriptor, &byte, 1, 0) == 0
    }

    /// False when nothing more comes.
    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        rest.withLock { $0 += bytes[..<count] }
        return true
    }

    private static func takeAnswer(from bytes: inout [UInt8]) -> [UInt8]? {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: [13, 10, 13, 10]) }) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        guard bytes.count >= end + 4 + length else { return nil }
        defer { bytes.removeFirst(end + 4 + length) }
        return Array(bytes[..<(end + 4 + length)])
    }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #else
        Darwin.send(descriptor, bytes, count, 0)
        #endif
    }

    package struct NobodyListens: Error {}
}
