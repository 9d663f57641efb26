import Dispatch
import Foundation
import Synchronization

/// A Unix socket before a PostgreSQL that does what a pooler does: it greets clients by itself, and has connections to the server of its own. To whom it hands
/// them may change while clients are there. What a server says without being asked reaches nobody.
package final class PoolingSocket: Sendable {
    package enum Mode: Sendable {
        /// A client has one for as long as it is there.
        case sessions
        /// All clients share one, which is whoever's speaks until their transaction is over.
        case transactions
        /// The same, until the statement is over; whoever begins a transaction is sent away.
        case statements
    }

    private let target: String
    private let socket: ServerSocket
    private let mode: Mutex<Mode>
    private let shared = Mutex<PooledServer?>(nil)
    /// For clients at a time; nil for as many as come.
    private let room: DispatchSemaphore?
    private let came = Mutex(0)

    /// The folder of the socket, as an address names it.
    package var socketFolder: String { socket.folder }

    /// How many clients have come so far, those among them that had to wait for room.
    package var clients: Int { came.withLock { $0 } }

    /// - Parameters:
    ///   - target: folder of the server's socket.
    ///   - room: how many clients it greets at a time, where not all; who comes then waits.
    package init(to target: String, _ mode: Mode, room: Int? = nil) throws {
        self.target = target
        self.mode = Mutex(mode)
        // Counted up from none: one that goes with less than it began with ends the process.
        self.room = room.map { room in
            let places = DispatchSemaphore(value: 0)
            for _ in 0..<room { places.signal() }
            return places
        }
        socket = try ServerSocket()
        socket.serve { [weak self] client in self?.serve(client) }
    }

    /// From now on, also for clients that are there, as soon as nothing of theirs is under way.
    package func change(to mode: Mode) { self.mode.withLock { $0 = mode } }

    private func serve(_ client: Int32) {
        Thread {
            self.serve(WireEnd(descriptor: client))
            close(client)
        }.start()
    }

    private func serve(_ client: WireEnd) {
        came.withLock { $0 += 1 }
        guard let startup = client.message(hasType: false) else { return }
        room?.wait()
        defer { room?.signal() }
        guard let own = PooledServer(to: target, startup) else { return }
        guard client.say(Self.welcome + own.settings + Self.ready) else { return }
        var (said, held) = ([UInt8](), PooledServer?.none)
        while let message = client.message(), message[0] != UInt8(ascii: "X") {
            said += message
            // What is said together ends so.
            guard [UInt8(ascii: "S"), UInt8(ascii: "Q")].contains(message[0]) else { continue }
            guard let server = held ?? take(for: own, startup) else { break }
            held = server
            guard let heard = server.answers(to: said) else { break }
            let isOver = heard.last == UInt8(ascii: "I")
            let isRefused = mode.withLock { $0 == .statements } && !isOver
            guard client.say(isRefused ? Self.refusal : heard), !isRefused else { break }
            said = []
            if isOver {
                server.leave()
                held = nil
            }
        }
        guard let held else { return }
        _ = held.answers(to: Self.rollback)
        held.leave()
    }

    /// The connection that a client has for what it says now.
    private func take(for own: PooledServer, _ startup: [UInt8]) -> PooledServer? {
        let isOwn = mode.withLock { $0 == .sessions }
        let server = isOwn ? own : everybodys(startup)
        server?.take()
        return server
    }

    private func everybodys(_ startup: [UInt8]) -> PooledServer? {
        shared.withLock { shared in
            if shared == nil { shared = PooledServer(to: target, startup) }
            return shared
        }
    }
}

// MARK: What it says itself

extension PoolingSocket {
    /// That nobody is asked for a password.
    private static let welcome = message("R", [0, 0, 0, 0])
    /// A number that no process has, and that it is the client's turn.
    private static let ready = message("K", [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) + message("Z", [UInt8(ascii: "I")])
    private static let rollback = message("Q", Array("ROLLBACK\0".utf8))

    /// In the words of PgBouncer 1.18.
    private static let refusal = message(
        "E", Array("SFATAL\0VFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0".utf8))

    private static func message(_ type: Unicode.Scalar, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] = withUnsafeBytes(of: UInt32(content.count + 4).bigEndian, Array.init)
        return [UInt8(ascii: type)] + length + content
    }
}

/// An end of a connection, message by message.
private struct WireEnd: Sendable {
    let descriptor: Int32

    /// - Parameter hasType: whether it begins with a letter, as all do but a client's first.
    /// - Returns: nil at the end.
    func message(hasType: Bool = true) -> [UInt8]? {
        guard let head = take(hasType ? 5 : 4) else { return nil }
        let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, let content = take(length - 4) else { return nil }
        return head + content
    }

    private func take(_ count: Int) -> [UInt8]? {
        var (bytes, filled) = ([UInt8](repeating: 0, count: count), 0)
        while filled < count {
            let more = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, 0) }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    /// - Returns: whether it could.
    func say(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let more = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL)) }
            guard more > 0 else { return false }
            sent += more
        }
        return true
    }
}

/// A connection of the pooler's own.
private final class PooledServer: Sendable {
    private let end: WireEnd
    /// What the server has said of its settings.
    let settings: [UInt8]
    private let turn = DispatchSemaphore(value: 1)

    /// - Parameter startup: what a client has said first.
    init?(to folder: String, _ startup: [UInt8]) {
        guard let descriptor = ServerSocket.connection(to: folder) else { return nil }
        let end = WireEnd(descriptor: descriptor)
        var settings: [UInt8] = []
        _ = end.say(startup)
        while let message = end.message(), message[0] != UInt8(ascii: "Z") {
            if message[0] == UInt8(ascii: "S") { settings += message }
        }
        (self.end, self.settings) = (end, settings)
    }

    deinit { close(end.descriptor) }

    /// Waits until nobody has it.
    func take() { turn.wait() }
    func leave() { turn.signal() }

    /// Has something carried out.
    /// - Returns: all that the server says of it, at the end whether a transaction is open; nil where it has gone.
    func answers(to said: [UInt8]) -> [UInt8]? {
        guard end.say(said) else { return nil }
        var heard: [UInt8] = []
        while let message = end.message() {
            heard += message
            if message[0] == UInt8(ascii: "Z") { return heard }
        }
        return nil
    }
}
