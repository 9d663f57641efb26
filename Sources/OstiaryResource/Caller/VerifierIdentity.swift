/// One verifier, told from every other: a caller that one let in was checked by its issuer, audience and keys, and by no other's. Copies of a verifier are
/// the same one.
final class VerifierIdentity: Hashable, Sendable {
    static func == (one: VerifierIdentity, other: VerifierIdentity) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
