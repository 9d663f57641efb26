import Foundation
import OstiaryProtocol
import Testing

/// One scenario of `Vectors/`, as its README describes it.
struct VectorFile: Codable, Equatable {
    let scenario: String
    let source: String
    let section: String
    var expect: VectorClass
    let given: [String: VectorValue]
    var result: [String: VectorValue]
}

/// What a reader must make of a scenario: `ok` with the stated result, or a refusal of exactly this class.
enum VectorClass: String, Codable {
    case ok, malformed, identity
    case wrongPIN = "wrong-pin"
    case corrupted
}

/// Hexadecimal bytes or text, a whole number, or a list of the former.
enum VectorValue: Codable, Equatable {
    case text(String)
    case number(UInt64)
    case list([String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let list = try? container.decode([String].self) {
            self = .list(list)
        } else if let number = try? container.decode(UInt64.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .list(let list): try container.encode(list)
        }
    }

    static func hex(_ bytes: [UInt8]) -> VectorValue { .text(Hex.encode(bytes)) }
    static func hexList(_ list: [[UInt8]]) -> VectorValue { .list(list.map(Hex.encode)) }
}

/// The `given` of a scenario by name; a missing or misshapen field fails the test that asked.
struct Given {
    let fields: [String: VectorValue]

    func text(_ name: String) throws -> String {
        guard case .text(let text)? = fields[name] else { throw MissingField(name: name) }
        return text
    }

    func number(_ name: String) throws -> UInt64 {
        guard case .number(let number)? = fields[name] else { throw MissingField(name: name) }
        return number
    }

    func bytes(_ name: String) throws -> [UInt8] { try #require(Hex.decode(try text(name))) }
    func secret(_ name: String) throws -> SecretBytes { SecretBytes(try bytes(name)) }

    func list(_ name: String) throws -> [[UInt8]] {
        guard case .list(let list)? = fields[name] else { throw MissingField(name: name) }
        return try list.map { try #require(Hex.decode($0)) }
    }
}

struct MissingField: Error { let name: String }

enum Hex {
    static func encode(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
