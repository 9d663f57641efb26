import NIOCore
import NIOPosix
import Testing

@testable import OstiaryPhone

/// How demonstration and tests come by their ports: nobody guesses.
@Suite("Reserved ports")
struct ReservedPortTests {
    @Test("A reserved port is lent to nobody, refuses while no server runs, and takes a server again and again")
    func reserved() async throws {
        let port = try ReservedPort()
        for _ in 0..<3 {
            await #expect(throws: (any Error).self) { try await connect(to: port.number) }
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: "127.0.0.1", port: port.number).get()
            try await connect(to: port.number)
            // Two servers are one too many, as anywhere.
            await #expect(throws: IOError.self) {
                try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: "127.0.0.1", port: port.number).get()
            }
            try await server.close()
        }
    }

    @Test("A hundred reserved ports are a hundred different ones")
    func different() throws {
        let ports = try (0..<100).map { _ in try ReservedPort() }
        #expect(Set(ports.map(\.number)).count == ports.count)
    }

    private func connect(to port: Int) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get()
        try await channel.close()
    }
}
