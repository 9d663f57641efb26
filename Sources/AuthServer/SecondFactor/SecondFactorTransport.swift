/// How bytes get to the second-factor server and back. What they mean is checked elsewhere.
package protocol SecondFactorTransport: Sendable {
    /// Where it is, for log and readiness.
    var address: String { get }
    /// `GET /sf/identity`.
    /// - Throws: ``SecondFactorTrouble``; any other error counts as no answer.
    func identity() async throws -> [UInt8]
    /// `POST /sf/call`.
    /// - Throws: ``SecondFactorTrouble``; any other error counts as no answer.
    func call(_ bytes: [UInt8]) async throws -> [UInt8]
}

extension SecondFactorTransport {
    /// Of a second-factor server that runs in the same process.
    package var address: String { "in this process" }
}
