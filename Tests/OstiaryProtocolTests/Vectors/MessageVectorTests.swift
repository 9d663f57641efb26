import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/messages/*.json`: one structure each, as bytes that decode and bytes that must not, with the class of failure.
struct MessageVector: Codable {
    struct Fault: Codable {
        let hex: String
        let error: String
    }

    let structure: String
    let valid: String
    let invalid: [Fault]
}

@Suite("Vectors/messages")
struct MessageVectorTests {
    static func path(_ name: String) -> String { "messages/\(name.replacing(" ", with: "-")).json" }

    static func error(_ each: WireCase, _ bytes: [UInt8]) -> String? {
        do {
            _ = try each.recode(bytes)
            return nil
        } catch { return "\(error)" }
    }

    @Test("Every structure's vector decodes to itself, and its faults fail as stated", arguments: WireStructTests.cases)
    func read(_ each: WireCase) throws {
        let vector = try VectorFiles.read(MessageVector.self, Self.path(each.name))
        #expect(vector.structure == each.name)
        let bytes = VectorFiles.bytes(vector.valid)
        #expect(try each.recode(bytes) == bytes)
        #expect(bytes.count == each.bytes.count, "the layout of \(each.name) has changed")
        #expect(!vector.invalid.isEmpty)
        for fault in vector.invalid { #expect(Self.error(each, VectorFiles.bytes(fault.hex)) == fault.error) }
    }

    /// Writes the files anew from the samples. Device signatures are random, so the bytes differ each time; the layout does not.
    @Test("Written anew on request", .enabled(if: ProcessInfo.processInfo.environment["OSTIARY_WRITE_VECTORS"] != nil))
    func write() throws {
        for each in WireStructTests.cases {
            let candidates: [[UInt8]] =
                [Array(each.bytes.dropLast()), each.bytes + [0], []]
                + [0, 1, 3, each.bytes.count / 2].map { index in
                    var copy = each.bytes
                    copy[index] ^= 0xFF
                    return copy
                }
            let faults = candidates.compactMap { bytes in
                Self.error(each, bytes).map { MessageVector.Fault(hex: VectorFiles.hex(bytes), error: $0) }
            }
            try VectorFiles.write(
                MessageVector(structure: each.name, valid: VectorFiles.hex(each.bytes), invalid: faults), Self.path(each.name))
        }
    }
}
