import OstiaryProtocol
import OstiaryTokens

/// The parameters of an authorization request that a client sent ahead (RFC 9126).
package struct PushedRequest: Equatable, Sendable {
    /// What a request URI begins with (§2.2).
    package static let prefix = "urn:ietf:params:oauth:request_uri:"
    /// Seconds for which a browser may begin with it.
    package static let life: UInt64 = 90
    /// Seconds for which a browser that began with it may go on.
    package static let visitLife: UInt64 = 1_800

    /// SHA of the text after the prefix.
    package let hash: [UInt8]
    package let server: ServerID
    package let client: ClientID
    package let parameters: [Parameter]
    package let expiresAt: Instant
    /// Where it was begun (`CallPlace.name`), by somebody who may be anybody; nil where its client showed who it is.
    package let place: String?
    /// Whether a code was given for it.
    package var isSpent: Bool
    /// The call by which its client heard that there is none, after its person said no or logged in for nothing; nil where none did.
    package private(set) var refusedBy: RefusalID?

    package init(
        hash: [UInt8], server: ServerID, client: ClientID, parameters: [Parameter], expiresAt: Instant, place: String? = nil, isSpent: Bool = false,
        refusedBy: RefusalID? = nil
    ) {
        self.hash = hash
        self.server = server
        self.client = client
        self.parameters = parameters
        self.expiresAt = expiresAt
        self.place = place
        self.isSpent = isSpent
        self.refusedBy = refusedBy
    }

    /// Whether its client has its answer. Until then a page may be loaded again.
    package var isOver: Bool { isSpent || refusedBy != nil }

    /// As it is when its client hears that there is no code; nil where that has its answer, as the first one is the last. A call that looks again
    /// finds that it was itself.
    func refused(by call: RefusalID) -> PushedRequest? {
        guard !isOver || refusedBy == call else { return nil }
        var refused = self
        refused.refusedBy = call
        return refused
    }

    /// Nil for what is no request URI of ours.
    package static func hash(ofURI uri: String) -> [UInt8]? { name(ofURI: uri).map { SHA($0.utf8) } }

    /// What stands after the prefix; nil for what is no request URI of ours.
    static func name(ofURI uri: String) -> String? {
        guard uri.hasPrefix(prefix), uri.utf8.count <= 200 else { return nil }
        return String(uri.dropFirst(prefix.count))
    }

    /// When it was kept.
    var keptAt: Instant { expiresAt - Self.life }
}

/// A parameter of a request as it came: names may come twice.
package struct Parameter: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
