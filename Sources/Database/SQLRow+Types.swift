/// Typed access. Each accessor throws ``SQLError/noSuchColumn(_:)`` or ``SQLError/wrongKind(column:expected:found:)``;
/// those named `optional…` answer nil for null.
extension SQLRow {
    package func integer(_ column: StaticString) throws -> Int64 {
        guard case .integer(let number) = try value(column) else { throw wrongKind(column, .integer) }
        return number
    }

    package func optionalInteger(_ column: StaticString) throws -> Int64? {
        switch try value(column) {
        case .integer(let number): number
        case .null: nil
        default: throw wrongKind(column, .integer)
        }
    }

    /// A number that was stored from an unsigned one, such as Unix seconds; a negative number is an error.
    package func unsigned(_ column: StaticString) throws -> UInt64 {
        guard let number = UInt64(exactly: try integer(column)) else { throw SQLError.outOfRange(column.description) }
        return number
    }

    package func optionalUnsigned(_ column: StaticString) throws -> UInt64? {
        guard let integer = try optionalInteger(column) else { return nil }
        guard let number = UInt64(exactly: integer) else { throw SQLError.outOfRange(column.description) }
        return number
    }

    package func int(_ column: StaticString) throws -> Int {
        guard let number = Int(exactly: try integer(column)) else { throw SQLError.outOfRange(column.description) }
        return number
    }

    /// 0 is false and 1 is true; any other number is an error.
    package func bool(_ column: StaticString) throws -> Bool {
        switch try integer(column) {
        case 0: false
        case 1: true
        default: throw SQLError.outOfRange(column.description)
        }
    }

    package func double(_ column: StaticString) throws -> Double {
        guard case .double(let number) = try value(column) else { throw wrongKind(column, .double) }
        return number
    }

    package func text(_ column: StaticString) throws -> String {
        guard case .text(let text) = try value(column) else { throw wrongKind(column, .text) }
        return text
    }

    package func optionalText(_ column: StaticString) throws -> String? {
        switch try value(column) {
        case .text(let text): text
        case .null: nil
        default: throw wrongKind(column, .text)
        }
    }

    package func blob(_ column: StaticString) throws -> [UInt8] {
        guard case .blob(let bytes) = try value(column) else { throw wrongKind(column, .blob) }
        return bytes
    }

    package func optionalBlob(_ column: StaticString) throws -> [UInt8]? {
        switch try value(column) {
        case .blob(let bytes): bytes
        case .null: nil
        default: throw wrongKind(column, .blob)
        }
    }

    private func wrongKind(_ column: StaticString, _ expected: SQLKind) -> SQLError {
        .wrongKind(column: column.description, expected: expected, found: (try? value(column).kind) ?? .null)
    }
}
