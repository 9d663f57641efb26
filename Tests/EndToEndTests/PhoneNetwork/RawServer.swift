import Foundation
import Synchronization

/// A server on loopback of which a test writes every byte: each connection has a thread of its own, which reads one request and hands it over. The
/// connection ends with that.
final class RawServer: Sendable {
    /// A connection whose request was read.
    struct Connection: Sendable {
        let request: String
        fileprivate let descriptor: Int32

        /// - Returns: false when the other end takes no more.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { Self.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Returns when the other end has closed.
        func waitForEnd() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }

        private static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            #if canImport(Glibc)
            Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            #else
            Darwin.send(descriptor, bytes, count, 0)
            #endif
        }
    }

    private struct State {
        var requests: [String] = []
        var ended = 0
    }

    private let reserved: ReservedListener
    private let state: Mutex<State>

    /// - Parameter serve: answers a request; what it returns from is over.
    init(_ serve: @Sendable @escaping (Connection) -> Void) throws {
        reserved = try ReservedListener()
        state = Mutex(State())
        let listener = reserved.descriptor
        Thread.detachNewThread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                Thread.detachNewThread { [weak self] in
                    let connection = Connection(request: Self.request(on: descriptor), descriptor: descriptor)
                    self?.state.withLock { $0.requests.append(connection.request) }
                    serve(connection)
                    close(descriptor)
                    self?.state.withLock { $0.ended += 1 }
                }
            }
            close(listener)
        }
    }

    var port: UInt16 { reserved.port }
    /// What was asked, as text.
    var requests: [String] { state.withLock(\.requests) }
    /// How many connections are over.
    var ended: Int { state.withLock(\.ended) }

    func url(_ path: String = "/ap1") -> URL? { URL(string: "http://127.0.0.1:\(port)\(path)") }

    /// Head and body.
    private static func request(on descriptor: Int32) -> String {
        var (request, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 * 1_024))
        while !isWhole(request) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer.prefix(count)
        }
        return String(decoding: request, as: UTF8.self)
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        // What begins a handshake of TLS is no text, and whole for us.
        if request.first == 0x16 { return true }
        guard let end = request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return false }
        let fields = String(decoding: request[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = fields.compactMap { $0.hasPrefix("content-length:") ? Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) : nil }.first
        return request.count - end >= length ?? 0
    }
}

/// A socket that listens on a port of 127.0.0.1 which the system chose, until this ends. The thread that accepts closes it then, and nobody else: a
/// number that is closed is given to the next socket, whose connections a thread would take that still accepts by it.
private final class ReservedListener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        descriptor = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, generic, &length) == 0
            }
        }
        guard isBound else { throw Timeout(description: "no port for a server") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// What is short on the wire and long when it is unpacked.
enum PackedBomb {
    /// 1 MiB of zeros in 1 037 bytes of deflate (RFC 1951), flushed, so that it may be repeated.
    static let megabyte: [UInt8] =
        [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0] + [UInt8](repeating: 0, count: 1_016)
        + [0x3E, 0x03, 0, 0, 0xFF, 0xFF]

    /// What a stream of gzip (RFC 1952) begins with.
    static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
}
