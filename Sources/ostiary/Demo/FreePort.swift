import Foundation

/// A port of the loopback address that nobody listens on at this moment.
enum FreePort {
    /// Below the ports that systems lend to outgoing connections: one of those could be gone before it is used.
    private static let candidates = 20_000..<32_000

    /// - Throws: `DemoError.noPort`.
    static func find() throws(DemoError) -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: candidates)
            if isFree(port) { return port }
        }
        throw .noPort
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif
}
