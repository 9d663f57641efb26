/// Our `$1` as SQLite's `?1`: SQLite itself would take `$1` for a name and count in the order of appearance.
/// Quoted text and comments are left as they are.
func sqlitePlaceholders(_ sql: String) -> String {
    var result: [UInt8] = []
    let source = Array(sql.utf8)
    result.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
        let end = endOfOpaqueText(in: source, at: index)
        if end > index {
            result.append(contentsOf: source[index..<end])
            index = end
            continue
        }
        let startsParameter = source[index] == UInt8(ascii: "$") && index + 1 < source.count && isDigit(source[index + 1])
        result.append(startsParameter ? UInt8(ascii: "?") : source[index])
        index += 1
    }
    return String(decoding: result, as: UTF8.self)
}

/// Where the quoted text or comment that starts at `start` ends; `start` itself if none starts there.
private func endOfOpaqueText(in source: [UInt8], at start: Int) -> Int {
    let quote = source[start]
    if quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
        let close = source[(start + 1)...].firstIndex(of: quote)
        return close.map { $0 + 1 } ?? source.count
    }
    if quote == UInt8(ascii: "-"), start + 1 < source.count, source[start + 1] == UInt8(ascii: "-") {
        return source[start...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
    }
    return start
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
