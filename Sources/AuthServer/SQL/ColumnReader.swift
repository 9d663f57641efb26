import Authentication
import Database
import OstiaryProtocol

/// Reads the columns of a row in the order of the statement, into values that cannot be wrong. Faster than by name, for rows that are read often.
struct ColumnReader {
    private let values: [SQLValue]
    private var next = 0

    init(_ row: SQLRow) { values = row.values }

    private mutating func value() throws -> SQLValue {
        guard next < values.count else { throw SQLError.noSuchColumn("\(next)") }
        defer { next += 1 }
        return values[next]
    }

    private func wrong(_ kind: SQLKind, _ found: SQLValue) -> SQLError { .wrongKind(column: "\(next - 1)", expected: kind, found: found.kind) }

    mutating func skip(_ count: Int) { next += count }

    mutating func blob() throws -> [UInt8] {
        let value = try value()
        guard case .blob(let bytes) = value else { throw wrong(.blob, value) }
        return bytes
    }

    mutating func optionalBlob() throws -> [UInt8]? {
        switch try value() {
        case .null: nil
        case .blob(let bytes): bytes
        case let other: throw wrong(.blob, other)
        }
    }

    mutating func text() throws -> String {
        let value = try value()
        guard case .text(let text) = value else { throw wrong(.text, value) }
        return text
    }

    mutating func optionalText() throws -> String? {
        switch try value() {
        case .null: nil
        case .text(let text): text
        case let other: throw wrong(.text, other)
        }
    }

    mutating func integer() throws -> Int64 {
        let value = try value()
        guard case .integer(let number) = value else { throw wrong(.integer, value) }
        return number
    }

    mutating func optionalInteger() throws -> Int64? {
        switch try value() {
        case .null: nil
        case .integer(let number): number
        case let other: throw wrong(.integer, other)
        }
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws -> Number {
        guard let number = Number(exactly: try integer()) else { throw SQLError.outOfRange("\(next - 1)") }
        return number
    }

    mutating func optionalNumber<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws -> Number? {
        try optionalInteger().map { integer in
            guard let number = Number(exactly: integer) else { throw SQLError.outOfRange("\(next - 1)") }
            return number
        }
    }

    mutating func bool() throws -> Bool { try integer() != 0 }
    mutating func instant() throws -> Instant { Instant(try number()) }

    mutating func optionalInstant() throws -> Instant? {
        try optionalNumber().map { Instant($0) }
    }

    mutating func identifier<Kind>(_: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        guard let identifier = Identifier<Kind>(try blob()) else { throw SQLError.outOfRange("\(next - 1)") }
        return identifier
    }

    mutating func optionalIdentifier<Kind>(_: Kind.Type = Kind.self) throws -> Identifier<Kind>? {
        guard let bytes = try optionalBlob() else { return nil }
        guard let identifier = Identifier<Kind>(bytes) else { throw SQLError.outOfRange("\(next - 1)") }
        return identifier
    }

    mutating func choice<Choice: RawRepresentable<UInt8>>(_: Choice.Type = Choice.self) throws -> Choice {
        guard let choice = Choice(rawValue: try number()) else { throw SQLError.outOfRange("\(next - 1)") }
        return choice
    }

    mutating func optionalChoice<Choice: RawRepresentable<UInt8>>(_: Choice.Type = Choice.self) throws -> Choice? {
        guard let number = try optionalInteger() else { return nil }
        guard let raw = UInt8(exactly: number), let choice = Choice(rawValue: raw) else { throw SQLError.outOfRange("\(next - 1)") }
        return choice
    }

    mutating func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw SQLError.wrongKind(column: "\(next - 1)", expected: .blob, found: .null) }
        return value
    }
}

extension SQLValue {
    init(_ value: Instant?) { self.init(value?.seconds) }
    init<Kind>(_ value: Identifier<Kind>?) { self.init(value?.bytes) }
    init(_ value: (some RawRepresentable<UInt8>)?) { self.init(value.map { Int64($0.rawValue) }) }
    init(number value: some BinaryInteger) { self.init(Int64(clamping: value)) }
}
