/// Values as bytes that are the same whichever engine they come from, and from which they are read back.
enum ValueCoding {
    static func bytes(of values: [SQLValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { append(value, to: &bytes) }
        return bytes
    }

    /// Each begins with its kind, and what has no length of its own with its length: no two lists of values have the same bytes.
    private static func append(_ value: SQLValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            append(UInt64(bitPattern: number), to: &bytes)
        case .double(let number):
            bytes.append(2)
            append(number.bitPattern, to: &bytes)
        case .text(let text):
            bytes.append(3)
            append(UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        case .blob(let content):
            bytes.append(4)
            append(UInt64(content.count), to: &bytes)
            bytes += content
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// Nil for bytes that ``bytes(of:)`` does not make.
    static func values(of bytes: [UInt8]) -> [SQLValue]? {
        var (values, rest): ([SQLValue], ArraySlice<UInt8>) = ([], bytes[...])
        while let kind = rest.popFirst() {
            guard let value = value(kind, &rest) else { return nil }
            values.append(value)
        }
        return values
    }

    private static func value(_ kind: UInt8, _ rest: inout ArraySlice<UInt8>) -> SQLValue? {
        if kind == 0 { return .null }
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        switch kind {
        case 1: return .integer(Int64(bitPattern: number))
        case 2: return .double(Double(bitPattern: number))
        case 3, 4:
            guard let count = Int(exactly: number), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            let content = Array(rest.prefix(count))
            return kind == 3 ? .text(String(decoding: content, as: UTF8.self)) : .blob(content)
        default: return nil
        }
    }
}
