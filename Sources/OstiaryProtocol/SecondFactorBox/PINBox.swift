/// The box as the phone stores it: what it costs, whether a key is right, the sealed SFM, and the pinned key (protocol §7).
///
/// Without the PIN, the second-factor server's key and the authentication server's share it tells nothing about any of them.
/// Encoded in 118 bytes: `{ kind u8 = 1 (Argon2id 1.3, one lane), memory u32 (KiB), passes u8, commit[32], box[48], pkK[32] }`.
package struct PINBox: Equatable, Sendable {
    package static let sealedCount = 48
    private static let kind: UInt8 = 1

    package let parameters: Argon2id.Parameters
    /// H("commit", Kcommit): tells a wrong PIN from a damaged box.
    package let commitment: [UInt8]
    /// SFM under AES-256-GCM, 32 bytes and the tag of 16.
    package let sealed: [UInt8]
    /// pkK, the public half of the second-factor server's key for this epoch.
    package let pinnedKey: [UInt8]
}

extension PINBox: WireStruct {
    package init(from reader: inout ByteReader) throws(WireError) {
        guard try reader.u8() == Self.kind else { throw .badValue }
        let memory = try reader.u32()
        let passes = try reader.u8()
        do throws(Argon2idError) {
            parameters = try Argon2id.Parameters(memory: memory, passes: passes)
        } catch {
            throw .badValue
        }
        commitment = try reader.fixed(32)
        sealed = try reader.fixed(Self.sealedCount)
        pinnedKey = try reader.fixed(GroupElement.count)
        do throws(GroupError) { _ = try GroupElement(pinnedKey) } catch { throw .badValue }
    }

    package func write(to writer: inout ByteWriter) {
        writer.u8(Self.kind)
        writer.u32(parameters.memory)
        writer.u8(parameters.passes)
        writer.fixed(commitment, 32)
        writer.fixed(sealed, Self.sealedCount)
        writer.fixed(pinnedKey, GroupElement.count)
    }
}
