/// `application/x-www-form-urlencoded`, as bodies and queries have it (RFC 6749 appendix B): a plus is a space, and a percent sign begins an escape.
///
/// Read as bytes that lie in one piece: each call at the token endpoint has a form, and what is generic over sequences costs several times as much.
package enum FormText {
    /// The parameters in their order, each as often as it came. Nil for an escape that is none, and for what is no UTF-8: what two readers could read
    /// differently is nobody's request.
    package static func parameters(_ bytes: some Collection<UInt8>) -> [Parameter]? {
        if let parameters = bytes.withContiguousStorageIfAvailable({ read(UnsafeRawBufferPointer($0)) }) { return parameters }
        return Array(bytes).withUnsafeBytes(read)
    }

    /// Nil for an escape that is none, and for what is no UTF-8.
    static func decoded(_ text: Substring) -> String? {
        var text = text
        return text.withUTF8 { decoded(UnsafeRawBufferPointer($0)[...]) }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> [Parameter]? {
        // As it came, too: two escapes beside such a byte could make it whole.
        guard bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var parameters: [Parameter] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let pair = bytes[start...].prefix { $0 != UInt8(ascii: "&") }
            start = pair.endIndex + 1
            if pair.isEmpty { continue }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = decoded(name), let value = decoded(pair.dropFirst(name.count + 1)) else { return nil }
            parameters.append(Parameter(decodedName, value))
        }
        return parameters
    }

    private static func decoded(_ text: Slice<UnsafeRawBufferPointer>) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else { return String(validating: text, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
