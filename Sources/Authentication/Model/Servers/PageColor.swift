import OstiaryProtocol

/// A colour of a virtual server's pages, in sRGB. What is written on it has to be read: so one that cannot carry its text is none.
package struct PageColor: Hashable, Sendable {
    /// Where a page shows it, and what it writes on it: light text on a dark colour by day, dark text on a light one by night.
    package enum Scheme: Sendable, CaseIterable {
        case light, dark

        /// The letters on buttons, which the style of the pages has as `--accent-ink`.
        package var ink: PageColor {
            switch self {
            case .light: PageColor(red: 0xFF, green: 0xFF, blue: 0xFF)
            case .dark: PageColor(red: 0x0E, green: 0x24, blue: 0x26)
            }
        }
    }

    /// The least that text of ordinary size needs (WCAG 2.2, 1.4.3).
    package static let leastContrast = 4.5

    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    private init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// `#` and six hexadecimal digits; nil for anything else.
    package init?(_ text: String) {
        guard text.hasPrefix("#"), let value = Hexadecimal.bytes(text.utf8.dropFirst()), value.count == 3 else { return nil }
        self.init(red: value[0], green: value[1], blue: value[2])
    }

    /// `#rrggbb`, with small letters.
    package var text: String { "#" + Hexadecimal.text([red, green, blue]) }

    /// 1 to 21 (WCAG 2.2, contrast ratio).
    package func contrast(with other: PageColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// 0 to 1 (WCAG 2.2, relative luminance).
    private var luminance: Double { 0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue) }

    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        guard value > 0.04045 else { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        // To the power of 2.4: its square, times the fifth root of its square, by Newton's method.
        let square = base * base
        var root = 1.0
        for _ in 0..<40 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
        return square * root
    }
}
