/// What an authentication server tells or asks the second-factor server without an attempt: Close, Leave, Reset and Probe (protocol §7).
///
/// The answer is an SfAnswer whose attemptId is `answerID`, so that it is the answer to these very bytes: to no other order, and to no attempt.
package protocol SecondFactorOrder: WireMessage, OperatorSigned {
    /// The virtual server that asks.
    var serverID: ServerID { get }
}

extension Close: SecondFactorOrder {}
extension Leave: SecondFactorOrder {}
extension Reset: SecondFactorOrder {}
extension Probe: SecondFactorOrder {}

extension Encoded where Value: SecondFactorOrder {
    /// First 16 bytes of H(label of its signature, all bytes of the message).
    package var answerID: AttemptID { AttemptID(startOf: H(Value.label, bytes)) }
}

extension Identifier {
    /// The first sixteen bytes of a hash.
    fileprivate init(startOf hash: [UInt8]) { bytes = Array(hash.prefix(Self.count)) }
}
