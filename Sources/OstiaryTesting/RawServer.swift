import Foundation
import Synchronization

/// A server on loopback of which a test writes every byte: each connection has a thread of its own, which reads one request and hands it over. The
/// connection ends with that, and with the server at the latest.
package final class RawServer: Sendable {
    /// A connection whose request was read.
    package struct Connection: Sendable {
        package let request: String
        fileprivate let descriptor: Int32

        /// - Returns: false when the other end takes no more.
        @discardableResult
        package func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { Self.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        @discardableResult
        package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// What is asked next on the same connection, once it is there; empty when the other end has closed.
        package func nextRequest() -> String { RawServer.request(on: descriptor) }

        /// Returns when the other end has closed.
        package func waitForEnd() {
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

    private let socket: LoopbackSocket
    private let visits = Visits()

    /// - Parameter serve: answers a request; what it returns from is over.
    /// - Throws: when the system gives no port.
    package init(_ serve: @Sendable @escaping (Connection) -> Void) throws {
        let socket = try LoopbackSocket()
        self.socket = socket
        Thread.detachNewThread { [visits] in
            while true {
                let descriptor = accept(socket.descriptor, nil, nil)
                guard descriptor >= 0 else { break }
                guard visits.begin(descriptor) else {
                    close(descriptor)
                    continue
                }
                Thread.detachNewThread {
                    let connection = Connection(request: Self.request(on: descriptor), descriptor: descriptor)
                    visits.ask(connection.request)
                    serve(connection)
                    visits.end(descriptor)
                }
            }
        }
    }

    deinit {
        visits.endAll()
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    package var port: UInt16 { socket.port }
    /// What was asked, as text.
    package var requests: [String] { visits.requests }
    /// How many connections are over.
    package var ended: Int { visits.ended }

    package func url(_ path: String = "/ap1") -> URL? { URL(string: "http://127.0.0.1:\(port)\(path)") }

    /// Head and body, which may come apart: closing before all was read resets the connection, and the other end reads no answer.
    fileprivate static func request(on descriptor: Int32) -> String {
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

/// The connections of a raw server. Each is closed by its own thread and by nobody else, for the same reason as the socket that listens.
private final class Visits: Sendable {
    private struct State {
        var requests: [String] = []
        var open: Set<Int32> = []
        var ended = 0
        var isOver = false
    }

    private let state = Mutex(State())

    var requests: [String] { state.withLock(\.requests) }
    var ended: Int { state.withLock(\.ended) }

    /// - Returns: false when the server has ended.
    func begin(_ descriptor: Int32) -> Bool {
        state.withLock { state in
            if !state.isOver { state.open.insert(descriptor) }
            return !state.isOver
        }
    }

    func ask(_ request: String) { state.withLock { $0.requests.append(request) } }

    func end(_ descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            close(descriptor)
            state.ended += 1
        }
    }

    /// Wakes every thread that reads or writes.
    func endAll() {
        state.withLock { state in
            state.isOver = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
