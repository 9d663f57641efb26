import HTTPTypes
import OstiaryTesting
import Testing

/// Which service behind a virtual server, as the REST API calls it.
enum ServicePath: String {
    case token = "tokenservice"
    case data = "dataservice"
}

extension FixtureBackend {
    /// Puts a service behind the virtual server: a socket of which the test writes every byte.
    /// - Parameter timeout: in seconds.
    func offer(_ service: RawServer, as kind: ServicePath, timeout: Int = 10) async throws {
        let said = try await call(.put, "\(kind.rawValue)/", json: #"{"url":"http://127.0.0.1:\#(service.port)/\#(kind)","timeout":\#(timeout)}"#)
        try #require(said.status == 200, "\(String(decoding: said.body, as: UTF8.self))")
    }
}

extension RawServer {
    /// One that answers these bytes to whatever it is asked.
    static func answering(_ bytes: [UInt8]) throws -> RawServer {
        try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: \(bytes.count)\r\n\r\n")
            connection.send(bytes)
        }
    }
}
