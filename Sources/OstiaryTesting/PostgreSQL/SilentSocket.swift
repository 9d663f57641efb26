import Foundation
import Synchronization

/// A Unix socket where a PostgreSQL is looked for and nobody ever says a word: the connections are taken and kept. It counts them.
package final class SilentSocket: Sendable {
    private let folder: TemporaryFolder
    private let listener: Int32
    private let taken = Mutex<[Int32]>([])

    /// The folder of the socket, as an address names it.
    package var socketFolder: String { folder.path }

    /// Connections that clients have begun.
    package var connections: Int { taken.withLock(\.count) }

    package init() throws {
        folder = try TemporaryFolder()
        listener = try CuttingSocket.listener(in: folder.path)
        let thread = Thread { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else {
                    close(client)
                    return
                }
                taken.withLock { $0.append(client) }
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for client in taken.withLock({ $0 }) { close(client) }
    }
}
