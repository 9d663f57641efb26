import CLibPQ

/// The types that our columns have, by their numbers (`pg_type.oid`).
enum PostgreSQLType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let float4: Oid = 700
    static let float8: Oid = 701
    static let numeric: Oid = 1700
    /// Names of the catalogue, literals, and texts with a length.
    static let texts: Set<Oid> = [text, 19, 705, 1042, 1043]
}

extension SQLValue {
    /// What an argument of this kind is declared as; 0 leaves it to the server, as for a null.
    var postgresqlType: Oid {
        switch self {
        case .null: 0
        case .integer: PostgreSQLType.int8
        case .double: PostgreSQLType.float8
        case .text: PostgreSQLType.text
        case .blob: PostgreSQLType.bytea
        }
    }

    /// As it is sent, in the binary form of its type; nil for null.
    var postgresqlBytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): withUnsafeBytes(of: number.bigEndian, Array.init)
        case .double(let number): withUnsafeBytes(of: number.bitPattern.bigEndian, Array.init)
        case .text(let text): NullCharacters.hidden(in: text)
        case .blob(let bytes): bytes
        }
    }

    /// - Parameters:
    ///   - bytes: as the server sent them, in the binary form.
    ///   - column: for an error's sake.
    /// - Throws: ``SQLError``.
    init(_ bytes: UnsafeRawBufferPointer, of type: Oid, in column: String) throws {
        switch type {
        case PostgreSQLType.int8: self = .integer(Int64(bitPattern: Self.word(bytes)))
        case PostgreSQLType.int4: self = .integer(Int64(Int32(truncatingIfNeeded: Self.word(bytes))))
        case PostgreSQLType.int2: self = .integer(Int64(Int16(truncatingIfNeeded: Self.word(bytes))))
        // True is 1 on every engine.
        case PostgreSQLType.bool: self = .integer(Self.word(bytes) == 0 ? 0 : 1)
        case PostgreSQLType.bytea: self = .blob(Array(bytes))
        case PostgreSQLType.float8: self = .double(Double(bitPattern: Self.word(bytes)))
        case PostgreSQLType.float4: self = .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: Self.word(bytes)))))
        case PostgreSQLType.numeric: self = try Self.number(PostgreSQLNumeric(bytes), in: column)
        case let type where PostgreSQLType.texts.contains(type): self = .text(NullCharacters.shown(in: bytes))
        default: throw SQLError.fault(code: 0, message: "column \(column) is of a type that no column of ours has: \(type)")
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func number(_ numeric: PostgreSQLNumeric?, in column: String) throws -> SQLValue {
        guard let number = numeric?.whole else { throw SQLError.outOfRange(column) }
        return .integer(number)
    }
}

/// A sum of numbers of 64 bits comes as one without a bound: signed digits of base 10,000.
struct PostgreSQLNumeric {
    private let digits: [UInt16]
    /// The place of the first digit: 0 for ones, 1 for ten thousands.
    private let weight: Int
    private let isNegative: Bool

    /// Nil for what is no number.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let words = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        guard words.count >= 4, words.count == 4 + Int(words[0]), words[2] == 0 || words[2] == 0x4000 else { return nil }
        digits = Array(words[4...])
        weight = Int(Int16(bitPattern: words[1]))
        isNegative = words[2] == 0x4000
    }

    /// Nil for a part of a whole, and for what 64 bits do not hold.
    var whole: Int64? {
        var sum: Int64 = 0
        for place in 0..<max(digits.count, weight + 1) {
            let digit = place < digits.count ? Int64(digits[place]) : 0
            if place > weight {
                guard digit == 0 else { return nil }
                continue
            }
            let (shifted, tooFar) = sum.multipliedReportingOverflow(by: 10_000)
            let (next, tooMuch) = isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            guard !tooFar, !tooMuch else { return nil }
            sum = next
        }
        return sum
    }
}
