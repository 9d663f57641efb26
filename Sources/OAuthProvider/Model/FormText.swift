import OstiaryProtocol

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
        return PercentEscape.bytes(of: text, isForm: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
