import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on loopback that gives one prepared answer per connection, and none when there are no more.
///
/// Only the thread that accepts closes the listener, and after that it accepts no more: a number that is closed is given to the next socket, and a
/// thread that still accepts by it takes the connections of another test's server.
final class LoopbackServer: Sendable {
    private struct State {
        var answers: [String]
        var requests: [String] = []
        var open: [Int32] = []
    }

    let port: UInt16
    private let listener: Int32
    private let listens: Bool
    private let state: Mutex<State>

    /// - Parameter listens: false for a port that nobody answers at, and that nobody else can take meanwhile.
    init(answers: [String], listens: Bool = true) throws {
        state = Mutex(State(answers: answers))
        self.listens = listens
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
                bind(listener, generic, length) == 0 && (!listens || listen(listener, 8) == 0) && getsockname(listener, generic, &length) == 0
            }
        }
        guard isBound else { throw MissingValue() }
        port = UInt16(bigEndian: address.sin_port)
        guard listens else { return }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                guard let self else {
                    close(connection)
                    continue
                }
                self.serve(connection)
            }
            close(listener)
        }
    }

    deinit {
        for connection in state.withLock({ $0.open }) { close(connection) }
        if listens { shutdown(listener, Int32(SHUT_RDWR)) } else { close(listener) }
    }

    /// What was asked, as text.
    var requests: [String] { state.withLock { $0.requests } }

    private func serve(_ connection: Int32) {
        let request = Self.request(on: connection)
        let answer = state.withLock { state in
            state.open.append(connection)
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { return }
        let bytes = Array(answer.utf8)
        var sent = 0
        while sent < bytes.count {
            #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
            #else
            let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress.map { $0 + sent }, bytes.count - sent, flags) }
            guard count > 0 else { return }
            sent += count
        }
        if answer.contains("Connection: close") { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// A whole request. Head and body may come apart: what comes after the connection was shut down resets it, and the client reads no answer.
    private static func request(on connection: Int32) -> String {
        var request = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        while !isWhole(request) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer.prefix(count)
        }
        return String(decoding: request, as: UTF8.self)
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        guard let end = request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return false }
        let fields = String(decoding: request[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = fields.compactMap { $0.hasPrefix("content-length:") ? Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) : nil }.first
        return request.count - end >= length ?? 0
    }
}
