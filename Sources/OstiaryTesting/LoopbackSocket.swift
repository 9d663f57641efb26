import Foundation

/// A socket bound to a port of 127.0.0.1 that the system chose; nobody else can have that port until this ends. It is closed when nobody holds it any
/// more, so whoever accepts by its number holds it meanwhile: a number that is closed is given to the next socket, whose connections would be taken.
package final class LoopbackSocket: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// - Parameter listens: false for a port that nobody answers at, but a server that is told to, where it allows the reuse of the address as most do.
    /// - Throws: when the system gives no port.
    package init(listens: Bool = true) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if !listens {
            var isReused: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && (!listens || listen(descriptor, 64) == 0)
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        // From here on this closes it, also when it throws.
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw NoPort() }
    }

    deinit { close(descriptor) }

    private struct NoPort: Error {}
}
