import OstiaryProtocol

/// What a virtual server signs and derives with (protocol §1).
package struct ServerKeys: Sendable, CustomStringConvertible {
    package let chain: Encoded<ServerChain>
    package let operatorKey: OperatorKey
    package let derivation: SessionDerivation

    package init(chain: Encoded<ServerChain>, operatorKey: OperatorKey, sidKey: [UInt8]) {
        self.chain = chain
        self.operatorKey = operatorKey
        derivation = SessionDerivation(sidKey: sidKey)
    }

    package var root: Root { chain.value.root }
    package var description: String { "ServerKeys of \(root.serverID) ‹secret›" }
}

/// There is no virtual server with that id.
package struct UnknownServer: Error, Equatable {
    package init() {}
}
