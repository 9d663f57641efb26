import OstiaryProtocol

/// Why bytes are not JSON that a token may carry.
package enum JSONError: Error, Equatable, Sendable {
    case ended, unexpectedByte, trailingBytes, badNumber, badString, duplicateName, tooDeep, notAnObject
}

/// Reads one JSON text strictly (RFC 8259): UTF-8, no name twice, no lone surrogate, nothing after the end, a depth that a stack bears.
package struct JSONReader {
    static let mostDepth = 16

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func value(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.place == bytes.count else { throw .trailingBytes }
        return value
    }

    package static func object(_ bytes: [UInt8]) throws(JSONError) -> JSONObject {
        guard let object = try value(bytes).object else { throw .notAnObject }
        return object
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < Self.mostDepth else { throw .tooDeep }
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw .unexpectedByte
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        var object = JSONObject()
        var seen: Set<String> = []
        place += 1
        skipSpace()
        if try take(UInt8(ascii: "}")) { return object }
        repeat {
            skipSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw .unexpectedByte }
            let name = try string()
            guard seen.insert(name).inserted else { throw .duplicateName }
            skipSpace()
            guard try take(UInt8(ascii: ":")) else { throw .unexpectedByte }
            object.append(name, try value(depth: depth + 1))
            skipSpace()
        } while try take(UInt8(ascii: ","))
        guard try take(UInt8(ascii: "}")) else { throw .unexpectedByte }
        return object
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        var values: [JSONValue] = []
        place += 1
        skipSpace()
        if try take(UInt8(ascii: "]")) { return values }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while try take(UInt8(ascii: ","))
        guard try take(UInt8(ascii: "]")) else { throw .unexpectedByte }
        return values
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = place + text.utf8CodeUnitCount
        guard end <= bytes.count else { throw .ended }
        guard text.withUTF8Buffer({ bytes[place..<end].elementsEqual($0) }) else { throw .unexpectedByte }
        place = end
        return value
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard place < bytes.count else { throw .ended }
        return bytes[place]
    }

    private mutating func take(_ byte: UInt8) throws(JSONError) -> Bool {
        guard try peek() == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }
}

extension JSONReader {
    /// RFC 8259 §6. A whole number that an `Int64` doesn't hold is refused: rounded it would be another.
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = place
        var isWhole = true
        if bytes[place] == UInt8(ascii: "-") { place += 1 }
        let first = place
        guard takeDigits() > 0 else { throw .badNumber }
        guard bytes[first] != UInt8(ascii: "0") || place == first + 1 else { throw .badNumber }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            isWhole = false
            place += 1
            guard takeDigits() > 0 else { throw .badNumber }
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            place += 1
            if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
            guard takeDigits() > 0 else { throw .badNumber }
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole {
            guard let number = Int64(text) else { throw .badNumber }
            return .integer(number)
        }
        guard let number = Double(text), number.isFinite else { throw .badNumber }
        return .fraction(number)
    }

    private mutating func takeDigits() -> Int {
        let start = place
        while place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) { place += 1 }
        return place - start
    }

    /// RFC 8259 §7.
    private mutating func string() throws(JSONError) -> String {
        place += 1
        var text: [UInt8] = []
        while true {
            let byte = try peek()
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw .badString }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: Array(String(try escaped()).utf8))
            case 0..<0x20: throw .badString
            default: text.append(byte)
            }
        }
    }

    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        let byte = try peek()
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw .badString
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let unit = try fourDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // The high half of a pair: the low one has to follow.
        guard (0xD800...0xDBFF).contains(unit), try take(UInt8(ascii: "\\")), try take(UInt8(ascii: "u")) else { throw .badString }
        let low = try fourDigits()
        guard (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) else {
            throw .badString
        }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        guard place + 4 <= bytes.count else { throw .ended }
        var unit: UInt32 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Hexadecimal.value(of: byte) else { throw .badString }
            unit = unit << 4 | UInt32(digit)
        }
        place += 4
        return unit
    }
}
