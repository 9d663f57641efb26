/// A text that somebody else has written, as one line without control characters.
/// - Parameter most: characters; the rest is left out.
func operatorLine(_ text: String, most: Int = 600) -> String {
    let plain = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isShown ? $0 : " " }))
    let line = plain.split(separator: " ").joined(separator: " ")
    return line.count > most ? "\(line.prefix(most))…" : line
}

extension Unicode.Scalar {
    /// Neither control nor the end of a line, nor what turns the direction of what follows.
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
