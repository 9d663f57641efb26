/// The text of a statement, as far as both engines' placeholders need it read: quoted text and comments hold none.
struct SQLText {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The highest number behind a `$`: how many arguments the statement takes. 0 for none.
    var parameterCount: Int {
        var highest = 0
        eachPart { part in
            guard case .parameter(let place) = part else { return }
            let digits = bytes[(place + 1)...].prefix(while: Self.isDigit)
            highest = max(highest, digits.reduce(0) { min($0, 1 << 16) * 10 + Int($1 - UInt8(ascii: "0")) })
        }
        return highest
    }

    /// The same text with another byte before the number of each parameter.
    func markingParameters(with mark: UInt8) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        eachPart { part in
            switch part {
            case .opaque(let range): result.append(contentsOf: bytes[range])
            case .parameter: result.append(mark)
            case .byte(let place): result.append(bytes[place])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private enum Part {
        /// Quoted text, or a comment.
        case opaque(Range<Int>)
        /// The `$` of a parameter.
        case parameter(Int)
        case byte(Int)
    }

    private func eachPart(_ body: (Part) -> Void) {
        var index = 0
        while index < bytes.count {
            let end = endOfOpaqueText(at: index)
            if end > index {
                body(.opaque(index..<end))
                index = end
                continue
            }
            let startsParameter = bytes[index] == UInt8(ascii: "$") && index + 1 < bytes.count && Self.isDigit(bytes[index + 1])
            body(startsParameter ? .parameter(index) : .byte(index))
            index += 1
        }
    }

    /// Where the quoted text or comment that starts at `start` ends; `start` itself if none starts there.
    private func endOfOpaqueText(at start: Int) -> Int {
        let quote = bytes[start]
        if quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            let close = bytes[(start + 1)...].firstIndex(of: quote)
            return close.map { $0 + 1 } ?? bytes.count
        }
        if quote == UInt8(ascii: "-"), start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "-") {
            return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        }
        return start
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
