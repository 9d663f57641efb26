/// As much of OstiaryProtocol as `Ports` names.
package struct PINStretching: Sendable {
    package static let argon2id = Self()
}
