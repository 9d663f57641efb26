import Foundation

/// The system lends this process no port of the loopback address.
struct NoFreePort: Error, Equatable, CustomStringConvertible {
    var description: String { "no free port on 127.0.0.1" }
}

/// A port of the loopback address that belongs to us for as long as this value is held, whoever listens on it.
///
/// A socket is bound to it that never listens. The system lends the port to nobody who asks for any port, a server of ours binds beside it (both
/// allow the reuse of the address) as often as it is started again, and while none listens whoever connects is refused, as at any dead server.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    /// - Throws: ``NoFreePort``.
    init() throws(NoFreePort) {
        let opened = socket(AF_INET, Self.streamType, 0)
        guard opened >= 0 else { throw NoFreePort() }
        _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
        guard let port = Self.bindAnywhere(opened) else {
            close(opened)
            throw NoFreePort()
        }
        number = port
        #if canImport(Darwin)
        // Darwin lets nobody bind beside: there the port is only likely to stay free.
        close(opened)
        descriptor = -1
        #else
        descriptor = opened
        #endif
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Binds to a port that the system chooses.
    private static func bindAnywhere(_ descriptor: Int32) -> Int? {
        var yes: Int32 = 1
        guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif
}
