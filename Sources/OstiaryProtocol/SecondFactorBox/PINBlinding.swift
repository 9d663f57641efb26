/// Why an evaluation of the second-factor server cannot be used.
package enum PINBlindingError: Error, Equatable, Sendable {
    /// No locked memory, no library, or a group computation that failed on this side.
    case unavailable
    /// Not 96 bytes of one element and two scalars, or a pinned key that is no element.
    case malformed
    /// The proof is not by the pinned key: tell the person that the server's identity is in doubt, never that the PIN is wrong.
    case serverIdentity
}

/// One blinded question about one PIN: made afresh for every attemptId, kept in memory until the answer is there (protocol §7).
///
/// A repeated attempt asks with the same value, so that hB stays the same.
package struct PINBlinding: Sendable {
    private let input: LockedBytes
    private let blind: GroupScalar
    private let blinded: GroupElement

    /// Draws the blind from libsodium's generator.
    package init(_ pin: StretchedPIN) throws(PINBlindingError) {
        let blind: GroupScalar
        do throws(GroupError) { blind = try GroupScalar.random() } catch { throw .unavailable }
        try self.init(pin, blind: blind)
    }

    /// With a given blind, for known answers.
    package init(_ pin: StretchedPIN, blind: GroupScalar) throws(PINBlindingError) {
        do throws(LockedMemoryError) { input = try pin.oprfInput() } catch { throw .unavailable }
        do throws(VOPRFError) { blinded = try VOPRF.blind(input, by: blind) } catch { throw .unavailable }
        self.blind = blind
    }

    /// `B`, 32 bytes: tells nothing about the PIN.
    package var blindedElement: [UInt8] { blinded.bytes }

    /// `y`, 64 bytes, from the 96 bytes of SfEval, once the proof under the pinned pkK holds.
    package func finish(evaluation: [UInt8], pinnedKey: [UInt8]) throws(PINBlindingError) -> SecretBytes {
        guard evaluation.count == GroupElement.count + VOPRF.Proof.count else { throw .malformed }
        let element: GroupElement
        let proof: VOPRF.Proof
        let key: GroupElement
        do throws(GroupError) {
            element = try GroupElement(Array(evaluation.prefix(GroupElement.count)))
            proof = try VOPRF.Proof(Array(evaluation.dropFirst(GroupElement.count)))
            key = try GroupElement(pinnedKey)
        } catch {
            throw error == .libraryUnavailable ? .unavailable : .malformed
        }
        do throws(VOPRFError) {
            try VOPRF.verifyProof(proof, publicKey: key, blinded: [blinded], evaluated: [element])
        } catch {
            throw .serverIdentity
        }
        do throws(VOPRFError) { return try VOPRF.finalize(input, blind: blind, evaluated: element) } catch { throw .unavailable }
    }
}
