import Foundation

/// Listening sockets that whoever started this process has opened for it, as systemd does for a `.socket` unit (`sd_listen_fds(3)`).
///
///     LISTEN_FDS=2 LISTEN_FDNAMES=public:private      // descriptors 3 and 4
///
/// A port is then never closed while the server restarts, and a server needs no right to open a low one.
package struct HandedSockets: Sendable {
    private let sockets: [String: HandedSocket]

    /// None.
    package init() { sockets = [:] }

    /// - Parameters:
    ///   - environment: of this process.
    ///   - names: of the listeners that there are; each socket has to carry one of them.
    ///   - descriptor: of the first socket, the second and so on; 3, 4 … by convention.
    /// - Throws: ``ServerStartError``.
    package init(
        environment: [String: String], for names: [String], process: Int32 = getpid(), descriptor: (Int) -> Int32 = { 3 + Int32($0) }
    ) throws(ServerStartError) {
        var sockets: [String: HandedSocket] = [:]
        // Meant for another process: whoever started us has inherited the variables and not the sockets.
        let isOurs = environment["LISTEN_PID"].map { $0 == "\(process)" } ?? true
        let count = isOurs ? environment["LISTEN_FDS"].map { Int32($0) ?? -1 } ?? 0 : 0
        guard (0...1024).contains(count) else { throw .handedSocket(reason: "LISTEN_FDS is no number of sockets") }
        let told = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard count == 0 || told.count <= Int(count) else {
            throw .handedSocket(reason: "LISTEN_FDNAMES has \(told.count) names for \(count) sockets: hand over a socket for each")
        }
        for position in 0..<Int(count) {
            let name = position < told.count ? told[position] : ""
            guard names.contains(name) else { throw .handedSocket(reason: Self.unknown(name, names)) }
            guard sockets[name] == nil else { throw .handedSocket(reason: "two sockets are called \(name)") }
            sockets[name] = try HandedSocket(descriptor(position), name: name)
        }
        self.sockets = sockets
    }

    package subscript(name: String) -> HandedSocket? { sockets[name] }

    private static func unknown(_ name: String, _ names: [String]) -> String {
        let wanted = names.map { "FileDescriptorName=\($0)" }.joined(separator: " or ")
        return "a socket is called \(name.isEmpty ? "nothing" : name); write \(wanted) into its unit"
    }
}

/// A stream socket that is bound already.
package struct HandedSocket: Sendable {
    let descriptor: Int32

    fileprivate init(_ descriptor: Int32, name: String) throws(ServerStartError) {
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0, kind == Self.streamType else {
            throw .handedSocket(reason: "descriptor \(descriptor), \(name), is no stream socket")
        }
        // Programs that we start have no business with it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
    }

    /// Sets how many connections may wait.
    func listen(backlog: Int32) {
        #if canImport(Glibc)
        _ = Glibc.listen(descriptor, backlog)
        #else
        _ = Darwin.listen(descriptor, backlog)
        #endif
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif
}
