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

extension FenceReader {
    /// What the fences find in the bytes of a structure, as a vector has it.
    func vectorFields(_ structure: String, _ bytes: [UInt8]) throws -> [MessageVector.Field] {
        try read(structure, from: bytes).map { field in
            switch field.value {
            case .number(let number): MessageVector.Field(name: field.path, number: number)
            case .bytes(let bytes): MessageVector.Field(name: field.path, hex: VectorFiles.hex(bytes))
            }
        }
    }
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
        #expect(try ProtocolPages.read.get().reader.vectorFields(each.structure, bytes) == vector.fields)
        #expect(!vector.invalid.isEmpty)
        for fault in vector.invalid { #expect(Self.error(each, VectorFiles.bytes(fault.hex)) == fault.error) }
    }

    /// The files, from samples of their own each time: those of one moment share a device key.
    static func made() throws -> [String: any Encodable] {
        let reader = try ProtocolPages.read.get().reader
        var files: [String: any Encodable] = [:]
        for each in try Samples().all() {
            let candidates: [[UInt8]] =
                [Array(each.bytes.dropLast()), each.bytes + [0], []]
                + [0, 1, 3, each.bytes.count / 2].map { index in
                    var copy = each.bytes
                    copy[index] ^= 0xFF
                    return copy
                }
            let faults = candidates.compactMap { bytes in
                error(each, bytes).map { MessageVector.Fault(hex: VectorFiles.hex(bytes), error: $0) }
            }
            files[path(each.name)] = MessageVector(
                structure: each.name, valid: VectorFiles.hex(each.bytes), fields: try reader.vectorFields(each.structure, each.bytes),
                invalid: faults)
        }
        return files
    }
}
