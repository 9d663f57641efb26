import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/messages/*.json`: one structure each, as bytes that decode and bytes that must not, with the class of failure.
struct MessageVector: Codable {
    struct Fault: Codable {
        let hex: String
        let error: String
    }

    /// A field as the fence of docs/protocol names it, with what `valid` holds in it, without the length in front.
    struct Field: Codable, Equatable {
        let name: String
        var number: UInt64?
        var hex: String?
    }

    let structure: String
    let valid: String
    let fields: [Field]
    let invalid: [Fault]
}

@Suite("Vectors/messages")
struct MessageVectorTests {
    static func path(_ name: String) -> String { "messages/\(name.replacing(" ", with: "-")).json" }

    /// What the fences find in the bytes of a structure.
    static func fields(_ each: WireCase, _ bytes: [UInt8]) throws -> [MessageVector.Field] {
        try ProtocolPages().reader().read(each.structure, from: bytes).map { field in
            switch field.value {
            case .number(let number): MessageVector.Field(name: field.path, number: number)
            case .bytes(let bytes): MessageVector.Field(name: field.path, hex: VectorFiles.hex(bytes))
            }
        }
    }

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
        #expect(try Self.fields(each, bytes) == vector.fields)
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
                MessageVector(
                    structure: each.name, valid: VectorFiles.hex(each.bytes), fields: Self.fields(each, each.bytes), invalid: faults),
                Self.path(each.name))
        }
    }
}
