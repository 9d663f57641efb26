import Foundation

/// A port of the loopback address that nobody listens on at this moment.
enum FreePort {
    /// - Throws: `DemoError.noPort`.
    static func find() throws -> Int {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw DemoError.noPort }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard found else { throw DemoError.noPort }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif
}
