/// Text with U+0000 in it, which SQLite keeps and PostgreSQL refuses: it is kept as two characters, the first of them one that no text holds, and so
/// is that one. What differs here differs there, so that keys stay keys.
enum NullCharacters {
    /// U+FFFE, which is no character.
    private static let mark: [UInt8] = [0xEF, 0xBF, 0xBE]
    private static let null = UInt8(ascii: "0")
    private static let markItself = UInt8(ascii: "1")

    static func hidden(in text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.contains(0) || bytes.contains(mark[0]) else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0 {
                result += mark + [null]
            } else if bytes[index...].starts(with: mark) {
                result += mark + [markItself]
                index += mark.count - 1
            } else {
                result.append(bytes[index])
            }
            index += 1
        }
        return result
    }

    static func shown(in bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.contains(mark[0]) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first {
            guard rest.starts(with: mark), let kind = rest.dropFirst(mark.count).first, kind == null || kind == markItself else {
                result.append(first)
                rest = rest.dropFirst()
                continue
            }
            result += kind == null ? [0] : mark
            rest = rest.dropFirst(mark.count + 1)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
