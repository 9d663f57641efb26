import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on loopback that answers its first connection with a head and then the same piece, again and again, until nobody takes it any more.
final class EndlessServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let cutOff = Mutex(false)

    init(head: [UInt8], piece: [UInt8]) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, generic, &length) == 0
            }
        }
        guard isBound else { throw MissingValue() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            defer { close(connection) }
            var request = [UInt8](repeating: 0, count: 64 * 1_024)
            guard recv(connection, &request, request.count, 0) > 0, Self.send(head, on: connection) else { return }
            while self != nil, Self.send(piece, on: connection) {}
            self?.cutOff.withLock { $0 = true }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Whether the client closed the connection while there was more.
    var isCutOff: Bool { cutOff.withLock { $0 } }

    private static func send(_ bytes: [UInt8], on connection: Int32) -> Bool {
        #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        let send = Glibc.send
        #else
        let flags: Int32 = 0
        let send = Darwin.send
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress.map { $0 + sent }, bytes.count - sent, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
