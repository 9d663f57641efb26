import OstiaryProtocol

/// A secret of a row. What a store has read is still wrapped, and is opened when somebody asks for it: most of those who read the row never do.
package struct StoredSecret: Sendable {
    private enum Form: Sendable {
        case open([UInt8])
        case wrapped([UInt8], place: String, open: @Sendable () throws -> [UInt8])
    }

    private let form: Form

    /// One that no store has kept yet.
    package init(_ bytes: [UInt8]) { form = .open(bytes) }

    /// - Parameter place: the row and column for which it is wrapped. It opens nowhere else.
    package init(wrapped: [UInt8], for place: String, open: @Sendable @escaping () throws -> [UInt8]) {
        form = .wrapped(wrapped, place: place, open: open)
    }

    /// - Throws: what the store says of a secret that its key does not open.
    package func bytes() throws -> [UInt8] {
        switch form {
        case .open(let bytes): bytes
        case .wrapped(_, _, let open): try open()
        }
    }

    /// As it is kept in this place; nil when it is new there.
    package func wrapped(for place: String) -> [UInt8]? {
        if case .wrapped(let bytes, place, _) = form { bytes } else { nil }
    }
}

extension StoredSecret: Equatable {
    /// What is kept in one place by the same bytes need not be opened. One that does not open is like no other.
    package static func == (one: StoredSecret, other: StoredSecret) -> Bool {
        if case .wrapped(let bytes, let place, _) = one.form, other.wrapped(for: place) == bytes { return true }
        guard let one = try? one.bytes(), let other = try? other.bytes() else { return false }
        return matches(one, other)
    }
}

extension StoredSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
