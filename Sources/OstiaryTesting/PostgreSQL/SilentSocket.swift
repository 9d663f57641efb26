import Foundation
import Synchronization

/// A Unix socket where a PostgreSQL is looked for and nobody ever says a word: the connections are taken and kept. It counts them.
package final class SilentSocket: Sendable {
    private let socket: ServerSocket
    private let taken = Mutex<[Int32]>([])

    /// The folder of the socket, as an address names it.
    package var socketFolder: String { socket.folder }

    /// Connections that clients have begun.
    package var connections: Int { taken.withLock(\.count) }

    package init() throws {
        socket = try ServerSocket()
        socket.serve { [weak self] client in
            guard let self else {
                close(client)
                return
            }
            taken.withLock { $0.append(client) }
        }
    }

    deinit { for client in taken.withLock({ $0 }) { close(client) } }
}
