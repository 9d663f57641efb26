/// A text as a JSON string, quotes included (RFC 8259 §7).
package func jsonString(_ text: some StringProtocol) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case "\u{0}"..."\u{1F}":
            let hexadecimal = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
