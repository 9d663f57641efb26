/// Typed access. Each accessor throws ``SQLError/noSuchColumn(_:)`` or ``SQLError/wrongKind(column:expected:found:)``;
/// those named `optional…` answer nil for null.
extension SQLRow {
    package func integer(_ column: String) throws -> Int64 {
        guard case .integer(let number) = try value(column) else { throw wrongKind(column, .integer) }
        return number
    }

    package func optionalInteger(_ column: String) throws -> Int64? {
        try isNull(column) ? nil : integer(column)
    }

    /// A number that was stored from an unsigned one, such as Unix seconds; a negative number is an error.
    package func unsigned(_ column: String) throws -> UInt64 {
        guard let number = UInt64(exactly: try integer(column)) else { throw SQLError.outOfRange(column) }
        return number
    }

    package func optionalUnsigned(_ column: String) throws -> UInt64? {
        try isNull(column) ? nil : unsigned(column)
    }

    package func int(_ column: String) throws -> Int { try number(column) }

    /// A number that the asked type holds; any other is an error.
    @inlinable package func number<Number: FixedWidthInteger>(_ column: String, as _: Number.Type = Number.self) throws -> Number {
        guard let number = Number(exactly: try integer(column)) else { throw SQLError.outOfRange(column) }
        return number
    }

    @inlinable package func optionalNumber<Number: FixedWidthInteger>(_ column: String, as _: Number.Type = Number.self) throws -> Number? {
        try isNull(column) ? nil : number(column)
    }

    /// One of a few that are stored as numbers of a byte, or a set of such; any other number is an error.
    @inlinable package func choice<Choice: RawRepresentable<UInt8>>(_ column: String, as _: Choice.Type = Choice.self) throws -> Choice {
        guard let choice = Choice(rawValue: try number(column)) else { throw SQLError.outOfRange(column) }
        return choice
    }

    @inlinable package func optionalChoice<Choice: RawRepresentable<UInt8>>(_ column: String, as _: Choice.Type = Choice.self) throws -> Choice? {
        try isNull(column) ? nil : choice(column)
    }

    /// 0 is false and 1 is true; any other number is an error.
    package func bool(_ column: String) throws -> Bool {
        switch try integer(column) {
        case 0: false
        case 1: true
        default: throw SQLError.outOfRange(column)
        }
    }

    package func double(_ column: String) throws -> Double {
        guard case .double(let number) = try value(column) else { throw wrongKind(column, .double) }
        return number
    }

    package func text(_ column: String) throws -> String {
        guard case .text(let text) = try value(column) else { throw wrongKind(column, .text) }
        return text
    }

    package func optionalText(_ column: String) throws -> String? {
        try isNull(column) ? nil : text(column)
    }

    package func blob(_ column: String) throws -> [UInt8] {
        guard case .blob(let bytes) = try value(column) else { throw wrongKind(column, .blob) }
        return bytes
    }

    package func optionalBlob(_ column: String) throws -> [UInt8]? {
        try isNull(column) ? nil : blob(column)
    }

    private func wrongKind(_ column: String, _ expected: SQLKind) -> SQLError {
        .wrongKind(column: column, expected: expected, found: (try? value(column).kind) ?? .null)
    }
}
