import OstiaryProtocol

/// What a service behind a virtual server is for. A virtual server has one of each kind or none.
package enum ServiceKind: CaseIterable, Sendable {
    /// Gives tokens to who is logged in to an app (docs/token-service.md).
    case token
    /// Answers devices, whoever holds them (docs/data-service.md).
    case data
}

/// A service behind a virtual server, and how it is asked. A server without one tells phones that it is not offered.
package struct ServiceBehind: Equatable, Sendable {
    /// Seconds that a call may have. A phone waits for as long as its person does.
    package static let patiences: ClosedRange<UInt64> = 1...10
    package static let usualPatience: UInt64 = 5

    package let kind: ServiceKind
    package let server: ServerID
    package let address: ServiceAddress
    /// By which the service knows that it is we who ask.
    package let secret: StoredSecret
    /// Seconds after which a call is given up, from its first byte to the last of its answer.
    package let patience: UInt64

    package init(_ kind: ServiceKind, server: ServerID, address: ServiceAddress, secret: StoredSecret, patience: UInt64 = usualPatience) {
        self.kind = kind
        self.server = server
        self.address = address
        self.secret = secret
        self.patience = patience
    }
}

/// The secret of a service as text: drawn here, or given by whoever runs the service.
package struct ServiceSecret: Sendable {
    /// Bytes of one that is given: guessing it has to cost what guessing a key costs.
    package static let lengths = 32...512

    package let text: String

    /// Nil for what cannot stand in a header as a bearer token (RFC 6750 §2.1), or is too short or too long.
    package init?(_ text: String) {
        let body = text.prefix { $0 != "=" }
        guard Self.lengths.contains(text.utf8.count), text[body.endIndex...].allSatisfy({ $0 == "=" }), body.utf8.allSatisfy(Self.isPlain)
        else { return nil }
        self.text = text
    }

    /// 256 bits.
    init(using random: any RandomSource) { text = Base64URL.encode(random.bytes(32)) }

    var stored: StoredSecret { StoredSecret(Array(text.utf8)) }

    private static func isPlain(_ byte: UInt8) -> Bool { PercentEscape.isUnreserved(byte) || "+/".utf8.contains(byte) }
}

extension ServiceSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
