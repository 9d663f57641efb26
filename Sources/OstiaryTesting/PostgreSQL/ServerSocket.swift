import Foundation

/// A Unix socket in a folder of its own, to which clients come in place of PostgreSQL's. It ends with this value.
final class ServerSocket: Sendable {
    private let own: TemporaryFolder
    private let listener: Int32

    /// As an address names it.
    var folder: String { own.path }

    init() throws {
        own = try TemporaryFolder()
        listener = try Self.listener(in: own.path)
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Hands on each client that comes, on a thread of its own. To be asked once.
    func serve(_ client: @escaping @Sendable (Int32) -> Void) {
        Thread { [listener] in
            while case let next = accept(listener, nil, nil), next >= 0 { client(next) }
        }.start()
    }

    private static let stream = Int32(SOCK_STREAM.rawValue)

    /// A socket that listens where clients look for a PostgreSQL in this folder.
    private static func listener(in folder: String) throws -> Int32 {
        let listener = socket(AF_UNIX, stream, 0)
        var address = address(folder)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard isBound == 0, listen(listener, 64) == 0 else { throw PostgreSQLTrouble("no socket can be made") }
        return listener
    }

    /// A connection to the server whose socket is in this folder; nil where none is to be had.
    static func connection(to folder: String) -> Int32? {
        let server = socket(AF_UNIX, stream, 0)
        var address = address(folder)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard isConnected != 0 else { return server }
        close(server)
        return nil
    }

    private static func address(_ folder: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((folder + "/.s.PGSQL.5432").utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.prefix($0.count - 1)) }
        return address
    }
}
