/// `st`: a PIN after Argon2id, together with what it was stretched for, so that it cannot be used for anything else (protocol §7).
///
/// As good as the PIN to whoever also has `dsec`; it stays in locked memory.
package struct StretchedPIN: Sendable {
    package let scope: BoxScope
    package let parameters: Argon2id.Parameters
    package let bytes: LockedBytes

    /// st = Argon2id(PIN, salt = first 16 bytes of H("pinin", dsec ‖ sfId ‖ epoch), 32 bytes). Takes about 70 ms and 32 MiB: call it
    /// off the main thread. `dsec` is the secret of this phone that keeps a stolen box from being searched elsewhere.
    /// - Parameter stretching: Argon2id but in tests of something else.
    package init(
        pin: LockedBytes, deviceSecret dsec: SecretBytes, scope: BoxScope, parameters: Argon2id.Parameters = .standard,
        by stretching: PINStretching = .argon2id
    ) throws(Argon2idError) {
        let salt = Array(H(.pinin, dsec.exposed + scope.bytes).prefix(Argon2id.saltCount))
        bytes = try stretching.stretch(pin, salt, parameters)
        self.scope = scope
        self.parameters = parameters
    }

    /// "AP1/pinin" 00 sfId epoch st, the input of the VOPRF.
    func oprfInput() throws(LockedMemoryError) -> LockedBytes {
        let head = Label.pinin.prefix + scope.bytes
        let input = try LockedBytes(capacity: head.count + bytes.count)
        try input.append(contentsOf: head)
        try bytes.withUnsafeBytes { (stretched) throws(LockedMemoryError) in try input.append(contentsOf: stretched) }
        return input
    }
}
