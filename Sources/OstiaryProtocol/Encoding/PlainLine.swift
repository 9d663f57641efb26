/// Text that a business backend, an operator or somebody else's phone gives for people to read, on one line: what may travel, without line ends and
/// without marks of direction. A second line could look like one of the app's own, and a mark turns around what stands beside it (protocol §2).
package enum PlainLine {
    /// Whether a text is one, in at most `cap` bytes of UTF-8.
    package static func allows(_ text: String, cap: Int) -> Bool {
        WireText.allows(text, cap: cap) && !text.unicodeScalars.contains(where: isRefused)
    }

    /// Whether a text can stand for somebody or something: a line in which there is something to see. In the place of a name that nobody sees, the app's own
    /// words around it would say something else.
    package static func allowsName(_ text: String, cap: Int) -> Bool { allows(text, cap: cap) && !isBlank(text) }

    /// A text as one: line ends become spaces, and marks of direction go. What may not travel, and what is too long, goes on its way.
    package static func made(of text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.compactMap { scalar in isLineEnd(scalar) ? " " : isRefused(scalar) ? nil : scalar }))
    }

    /// Whether a person who is shown a text sees nothing that could be read: it is empty, or has only white space, characters without a shape, and marks that
    /// would stand on a letter, of which there is none.
    package static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || isShapeless(scalar) || isMark(scalar)
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// A pattern of Braille without a dot, and the marks of annotations, which Unicode counts as neither.
    private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x2800 || (0xFFF9...0xFFFB).contains(scalar.value) }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x061C: true
        default: isLineEnd(scalar)
        }
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool { [0x0A, 0x2028, 0x2029].contains(scalar.value) }
}
