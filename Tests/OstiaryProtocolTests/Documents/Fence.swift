import OstiaryProtocol

/// A structure as a fence of `docs/protocol` writes it: `Name { field type, field type (a remark), … }`.
struct Fence: Sendable {
    let name: String
    let fields: [Field]

    struct Field: Sendable {
        /// Nil for a part that has no name of its own, such as `Root` or `Sig("ticket")`.
        let name: String?
        let type: FieldType
        /// What the field always holds, as in `kind u8 = 2`.
        let constant: UInt64?
        /// The label of a signature.
        var label: String?
    }

    indirect enum FieldType: Sendable {
        /// u8, u16, u32, u64: how many bytes.
        case number(Int)
        /// name[n]
        case fixed(Int)
        /// v8 or v16: how many bytes the length has, and what may stand behind it.
        case variable(Int, Content)
        /// Another structure, without a length.
        case structure(String)
        /// Fields that the prose takes together.
        case group([Field])
        /// A count u8, then the items.
        case list([Field])
        /// Sig("label"): keyId[8], ed25519[64], v16(0).
        case signature
        /// RootSig("label"): ed25519[64], v16(0).
        case rootSignature
    }

    enum Content: Sendable {
        case anything
        /// v8(0|16), v16(32)
        case lengths(Set<Int>)
        /// v16(Prekey), v16(0|Prekey)
        case structure(String, mayBeEmpty: Bool)
        /// pinPolicy v16 { fewest u8, … }
        case group([Field])
    }
}

/// A field with what some bytes hold in it. A list is one field, and then each that has a name in its first item.
struct FoundField: Equatable {
    /// Names of groups stand before the name, with a full stop between.
    let path: String
    let value: FieldValue
    let constant: UInt64?
    /// Bytes of a number.
    var width: Int?
}

enum FieldValue: Equatable {
    case number(UInt64)
    case bytes([UInt8])

    /// A number as the bytes of a u64.
    var content: [UInt8] {
        switch self {
        case .number(let number): number.bigEndianBytes
        case .bytes(let bytes): bytes
        }
    }
}

struct FenceError: Error, CustomStringConvertible {
    let description: String
}

/// Reads bytes by nothing but what the fences say.
struct FenceReader {
    let fences: [String: Fence]
    /// Which structures are messages, and begin with version, type and suite.
    let types: [String: UInt8]

    /// The fields of a structure that must fill `bytes`.
    func read(_ name: String, from bytes: [UInt8]) throws -> [FoundField] {
        var reader = ByteReader(bytes)
        let found = try read(name, &reader)
        guard reader.remaining == 0 else { throw FenceError(description: "\(name): \(reader.remaining) bytes more than the fence says") }
        return found
    }

    private func read(_ name: String, _ reader: inout ByteReader) throws -> [FoundField] {
        guard let fence = fences[name] else { throw FenceError(description: "no fence says what \(name) is") }
        if let type = types[name] {
            let header = [try reader.u8(), try reader.u8()]
            guard header == [1, type], try reader.u16() == 0x0101 else { throw FenceError(description: "\(name) has another header than §2 says") }
        }
        return try fence.fields.flatMap { field in
            do { return try read(field, at: "", &reader) } catch let error as WireError {
                throw FenceError(description: "\(name), at \(field.name ?? "\(field.type)"): \(error)")
            }
        }
    }

    private func read(_ field: Fence.Field, at prefix: String, _ reader: inout ByteReader) throws -> [FoundField] {
        let path = prefix + (field.name ?? Self.ownName(of: field.type))
        func found(_ value: FieldValue, width: Int? = nil) -> [FoundField] {
            [FoundField(path: path, value: value, constant: field.constant, width: width)]
        }
        switch field.type {
        case .number(let count):
            return found(.number(try reader.fixed(count).reduce(0) { $0 << 8 | UInt64($1) }), width: count)
        case .fixed(let count): return found(.bytes(try reader.fixed(count)))
        case .signature: return found(.bytes(try reader.fixed(74)))
        case .rootSignature:
            let signature = try reader.fixed(64)
            guard try reader.u16() == 0 else { throw FenceError(description: "a RootSig has a part that suite 0101 does not have") }
            return found(.bytes(signature))
        case .variable(let count, let content):
            let bytes = try count == 1 ? reader.v8() : reader.v16()
            if case .group(let fields) = content {
                var inner = ByteReader(bytes)
                let all = try fields.flatMap { try read($0, at: path + ".", &inner) }
                guard inner.remaining == 0 else { throw FenceError(description: "\(path) is longer than the fence says") }
                return all
            }
            try check(bytes, content, path)
            return found(.bytes(bytes))
        case .structure(let name):
            let bytes = try reader.rest
            _ = try read(name, &reader)
            return found(.bytes(Array(bytes.dropLast(reader.remaining))))
        case .group(let fields): return try fields.flatMap { try read($0, at: path + ".", &reader) }
        case .list(let fields):
            let items = try (0..<(try reader.u8())).map { _ in try fields.map { try read($0, at: path + ".", &reader) } }
            // Of the first item, each part that has a name.
            let named = items.first.map { zip(fields, $0).filter { $0.0.name != nil }.flatMap(\.1) } ?? []
            return found(.bytes(items.joined().joined().flatMap(\.value.content))) + named
        }
    }

    private func check(_ bytes: [UInt8], _ content: Fence.Content, _ path: String) throws {
        switch content {
        case .anything, .group: break
        case .lengths(let lengths):
            guard lengths.contains(bytes.count) else { throw FenceError(description: "\(path) has \(bytes.count) bytes, which the fence excludes") }
        case .structure(let name, let mayBeEmpty):
            if !(mayBeEmpty && bytes.isEmpty) { _ = try read(name, from: bytes) }
        }
    }

    private static func ownName(of type: Fence.FieldType) -> String {
        switch type {
        case .structure(let name): name
        case .signature: "Sig"
        case .rootSignature: "RootSig"
        case .list(let fields): fields.first.map { ownName(of: $0.type) } ?? ""
        case .number, .fixed, .variable, .group: ""
        }
    }
}

extension ByteReader {
    /// All bytes that were not read yet.
    fileprivate var rest: [UInt8] {
        get throws {
            var copy = self
            return try copy.fixed(remaining)
        }
    }
}

extension UInt64 {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
