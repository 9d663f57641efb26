/// One value in a column or an argument, in the types that both engines share.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLValue {
    /// An integer, or null.
    package init(_ value: Int64?) {
        self = value.map(SQLValue.integer) ?? .null
    }

    /// A count or another small number.
    package init(_ value: Int) {
        self = .integer(Int64(value))
    }

    /// True is 1, false is 0: the one spelling that both engines compare alike.
    package init(_ value: Bool) {
        self = .integer(value ? 1 : 0)
    }

    /// An unsigned number such as Unix seconds; what a signed column cannot hold is kept as the largest number that it can.
    package init(_ value: UInt64) {
        self = .integer(Int64(clamping: value))
    }

    /// An optional unsigned number such as Unix seconds.
    package init(_ value: UInt64?) {
        self = value.map { SQLValue($0) } ?? .null
    }

    /// A number of any width; what a signed column cannot hold is kept as the nearest number that it can.
    package init(number value: some BinaryInteger) {
        self = .integer(Int64(clamping: value))
    }

    /// One of a few that are stored as numbers of a byte, or a set of such, or null.
    package init(_ value: (some RawRepresentable<UInt8>)?) {
        self.init(value.map { Int64($0.rawValue) })
    }

    /// Text, or null.
    package init(_ value: String?) {
        self = value.map(SQLValue.text) ?? .null
    }

    /// Bytes, or null.
    package init(_ value: [UInt8]?) {
        self = value.map(SQLValue.blob) ?? .null
    }

    /// Any sequence of bytes, a digest or `Data` for example.
    package init(bytes: some Sequence<UInt8>) {
        self = .blob(Array(bytes))
    }

    /// What kind of value this is, for error messages that must not show the value.
    package var kind: SQLKind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .double: .double
        case .text: .text
        case .blob: .blob
        }
    }
}

/// The kinds of value a column can hold.
package enum SQLKind: String, Sendable {
    case null, integer, double, text, blob
}
