/// Text that a business backend or an operator gives for people to read, on one line: what may travel, without line ends and without marks of direction.
/// A second line could look like one of the app's own, and a mark turns around what stands beside it (protocol §2).
package enum PlainLine {
    /// Whether a text is one, in at most `cap` bytes of UTF-8.
    package static func allows(_ text: String, cap: Int) -> Bool {
        WireText.allows(text, cap: cap) && !text.unicodeScalars.contains(where: isRefused)
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C: true
        default: false
        }
    }
}
