import Foundation
import Synchronization

/// A Unix socket that leads to a server's and cuts connections where a test says. After the cut that was asked for all connections pass. It counts
/// the ways there and back, can be as slow as a network, and can keep what holds a word.
package final class CuttingSocket: Sendable {
    package enum Cut: Equatable, Sendable {
        /// Behind so many bytes of what a client says from now on.
        case said(Int)
        /// Behind so many bytes of what the server answers from now on.
        case heard(Int)
        /// Before the message that holds this word is passed on.
        case before(String)
        /// When that message has been carried out, before a byte of the answer is passed on.
        case after(String)
        /// Before so many turns of clients were passed on, 0 for the next. A turn is what one of them says until the server answers it.
        case beforeTurn(Int)
        /// When that turn has been carried out, before a byte of the answer is passed on.
        case afterTurn(Int)
    }

    fileprivate struct State {
        var cut: Cut?
        var count = 0
        /// The connections whose next answer is not passed on.
        var silenced: Set<Int32> = []
        /// Those whose client spoke last.
        var speaking: Set<Int32> = []
        /// Those that are there for news: they speak when they like, so they are neither counted nor cut.
        var listening: Set<Int32> = []
        var turns = 0
        var connections = 0
        /// What holds this word is kept.
        var heldWord: String?
        /// The connections whose client is heard no more.
        var held: Set<Int32> = []
        /// Microseconds that each message takes, each way.
        var delay: UInt32 = 0
    }

    private let target: String
    private let socket: ServerSocket
    private let state = Mutex(State())

    /// The folder of the socket, as an address names it.
    package var socketFolder: String { socket.folder }

    /// - Parameter target: folder of the server's socket.
    package init(to target: String) throws {
        self.target = target
        socket = try ServerSocket()
        socket.serve { [weak self] client in self?.serve(client) }
    }

    /// Cuts one connection, the next that comes so far.
    package func cut(_ cut: Cut) { state.withLock { ($0.cut, $0.count) = (cut, 0) } }

    /// Whether the cut that was asked for has been made.
    package var hasCut: Bool { state.withLock { $0.cut == nil } }

    /// Asks for no cut any more.
    /// - Returns: bytes that passed in the direction of the cut that was asked for.
    @discardableResult
    package func spare() -> Int {
        state.withLock { state in
            state.cut = nil
            return state.count
        }
    }

    /// From now on each message takes so long, each way.
    package func slow(by milliseconds: UInt32) { state.withLock { $0.delay = milliseconds * 1_000 } }

    /// From now on what holds this word is kept here, with all that its connection says after it: whoever has said it waits until that ends.
    /// - Parameter word: nil to keep nothing of those who come from now on.
    package func hold(at word: String?) { state.withLock { $0.heldWord = word } }

    /// Whether a client waits for an answer to what is kept.
    package var isHolding: Bool { state.withLock { !$0.held.isEmpty } }

    /// Ways there and back since the last time.
    package func takeTurns() -> Int {
        state.withLock { state in
            defer { state.turns = 0 }
            return state.turns
        }
    }

    /// Connections that clients have begun since the last time.
    package func takeConnections() -> Int {
        state.withLock { state in
            defer { state.connections = 0 }
            return state.connections
        }
    }

    private func serve(_ client: Int32) {
        state.withLock { $0.connections += 1 }
        guard let server = ServerSocket.connection(to: target) else {
            close(client)
            return
        }
        // The number may have been another's.
        state.withLock { state in
            state.speaking.remove(client)
            state.silenced.remove(client)
            state.listening.remove(client)
            state.held.remove(client)
        }
        let ends = CutConnection(client: client, server: server)
        Thread { self.pass(ends, isAnswer: false) }.start()
        Thread { self.pass(ends, isAnswer: true) }.start()
    }

    /// Passes one direction on until its end or a cut.
    private func pass(_ ends: CutConnection, isAnswer: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let (from, to) = isAnswer ? (ends.server, ends.client) : (ends.client, ends.server)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            let delay = state.withLock(\.delay)
            if delay > 0 { usleep(delay) }
            if !isAnswer, isHeld(Array(buffer[..<count]), of: ends.client) { continue }
            let allowed = isAnswer ? allowed(answer: count, to: ends.client) : allowed(Array(buffer[..<count]), of: ends.client)
            let written = buffer.withUnsafeBytes { send(to, $0.baseAddress, allowed, Int32(MSG_NOSIGNAL)) }
            guard written == count else { break }
        }
        if !isAnswer { state.withLock { _ = $0.held.remove(ends.client) } }
        ends.end()
    }

    /// Whether what the client says is kept.
    private func isHeld(_ bytes: [UInt8], of client: Int32) -> Bool {
        state.withLock { state in
            if let word = state.heldWord, contains(bytes, word) { state.held.insert(client) }
            return state.held.contains(client)
        }
    }

    /// How much of what the client says is passed on.
    private func allowed(_ bytes: [UInt8], of client: Int32) -> Int {
        state.withLock { state in
            if contains(bytes, "LISTEN ") { state.listening.insert(client) }
            guard !state.listening.contains(client) else { return bytes.count }
            let begins = state.speaking.insert(client).inserted
            if begins { state.turns += 1 }
            switch state.cut {
            case .said(let most): return state.pass(bytes.count, upTo: most)
            case .beforeTurn(let number) where begins: return state.isTurn(number) ? 0 : bytes.count
            case .afterTurn(let number) where begins:
                if state.isTurn(number) { state.silenced.insert(client) }
                return bytes.count
            case .before(let word) where contains(bytes, word):
                state.cut = nil
                return 0
            case .after(let word) where contains(bytes, word):
                state.cut = nil
                state.silenced.insert(client)
                return bytes.count
            default: return bytes.count
            }
        }
    }

    /// How much of an answer is passed on.
    private func allowed(answer count: Int, to client: Int32) -> Int {
        state.withLock { state in
            guard !state.listening.contains(client) else { return count }
            state.speaking.remove(client)
            if state.silenced.remove(client) != nil { return 0 }
            guard case .heard(let most) = state.cut else { return count }
            return state.pass(count, upTo: most)
        }
    }

    private func contains(_ bytes: [UInt8], _ word: String) -> Bool { Data(bytes).range(of: Data(word.utf8)) != nil }
}

extension CuttingSocket.State {
    /// Whether this turn is the one of the cut, which is made then.
    fileprivate mutating func isTurn(_ number: Int) -> Bool {
        count += 1
        guard count > number else { return false }
        cut = nil
        return true
    }

    fileprivate mutating func pass(_ bytes: Int, upTo most: Int) -> Int {
        guard count + bytes > most else {
            count += bytes
            return bytes
        }
        cut = nil
        return most - count
    }
}

/// The two ends of a connection. Both are shut at once, and closed when neither direction uses them.
private final class CutConnection: Sendable {
    let client: Int32
    let server: Int32
    private let users = Mutex(2)

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    func end() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        let isLast = users.withLock { users in
            users -= 1
            return users == 0
        }
        guard isLast else { return }
        close(client)
        close(server)
    }
}
