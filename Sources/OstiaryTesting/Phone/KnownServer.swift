import OstiaryProtocol

/// A server as a phone knows it: what requests are sealed to, and whose answers are believed.
package struct KnownServer: Sendable {
    package let root: Root
    package let prekey: Prekey
    package let keys: OperatorKeys

    package init(root: Root, prekey: Prekey, keys: OperatorKeys) {
        self.root = root
        self.prekey = prekey
        self.keys = keys
    }

    /// - Parameter chain: is verified, as a phone does it.
    package init(_ chain: ServerChain, prekey: Prekey, rootHash: [UInt8]) throws {
        self.init(root: chain.root, prekey: prekey, keys: try OperatorKeys.verify(chain, rootHash: rootHash))
    }

    package func seal(_ message: [UInt8], _ ephemeral: EphemeralKey, at time: Instant) throws -> SealedRequest {
        try SealedRequest(message, to: prekey, of: root, ephemeral: ephemeral, at: time)
    }

    package func open(_ answer: [UInt8], of request: SealedRequest, at time: Instant) throws -> Answer {
        try request.open(answer, from: keys, clock: time)
    }
}
