/// Secret bytes of fixed length that must not reach a log, a dump or a file by accident (style: secrets are their own type).
///
/// It prints as ‹secret›, shows no children to a mirror and is not `Codable`. It lives in ordinary memory: what a person types
/// goes into `LockedBytes` instead.
package struct SecretBytes: Sendable {
    /// The bytes themselves, for the one computation that needs them.
    package let exposed: [UInt8]

    package init(_ bytes: [UInt8]) { exposed = bytes }

    package var count: Int { exposed.count }

    /// Equality whose time depends on the lengths only.
    package func matches(_ other: SecretBytes) -> Bool {
        OstiaryProtocol.matches(exposed, other.exposed)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
