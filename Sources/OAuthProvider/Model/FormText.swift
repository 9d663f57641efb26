/// `application/x-www-form-urlencoded`, as bodies and queries have it (RFC 6749 appendix B): a plus is a space, and a percent sign begins an escape.
package enum FormText {
    /// The parameters in their order, each as often as it came. Nil for an escape that is none, and for what is no UTF-8: what two readers could read
    /// differently is nobody's request.
    package static func parameters(_ bytes: some Collection<UInt8>) -> [Parameter]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var parameters: [Parameter] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = decoded(name), let value = decoded(pair.dropFirst(name.count + 1)) else { return nil }
            parameters.append(Parameter(decodedName, value))
        }
        return parameters
    }

    /// Nil for an escape that is none, and for what is no UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? { decoded(text.utf8) }

    private static func decoded(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
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

    private static func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }
}
