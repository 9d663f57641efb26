import Authentication
import OstiaryProtocol

/// How bytes get to the second-factor server and back. What they mean is checked elsewhere.
package protocol SecondFactorTransport: Sendable {
    /// `GET /sf/identity`.
    /// - Throws: `SecondFactorUnreachable`.
    func identity() async throws -> [UInt8]
    /// `POST /sf/call`.
    /// - Throws: `SecondFactorUnreachable`, ``SecondFactorDistrust``.
    func call(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// The second-factor server does not take calls of this server.
package struct SecondFactorDistrust: Error, Equatable, CustomStringConvertible {
    package init() {}

    package var description: String {
        "the second-factor server does not trust this server: add its identity to OSTIARY_SF_TRUSTED_SERVERS there"
    }
}
