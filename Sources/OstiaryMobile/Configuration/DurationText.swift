/// Durations as configuration files write them: `0`, or numbers with the units h, m, s and ms one after the other, as in `1h30m`.
enum DurationText {
    /// A hundred years; what is longer is a slip.
    private static let longest = Duration.seconds(100 * 8_766 * 3_600)

    private static let units: [(name: String, length: Duration)] = [
        ("h", .seconds(3_600)), ("ms", .milliseconds(1)), ("m", .seconds(60)), ("s", .seconds(1)),
    ]

    /// Nil for anything else: no sign, no space, no missing unit, no number longer than nine digits.
    static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        var rest = Substring(text)
        var total = Duration.zero
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.count <= 9, let number = Int(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            guard let unit = units.first(where: { rest.hasPrefix($0.name) }) else { return nil }
            rest = rest.dropFirst(unit.name.count)
            total += unit.length * number
            guard total <= longest else { return nil }
        }
        return text.isEmpty ? nil : total
    }

    /// The shortest text in one unit.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        if duration == .zero { return "0" }
        if duration != .seconds(seconds) { return "\(Int64(duration.inSeconds * 1_000))ms" }
        if seconds.isMultiple(of: 3_600) { return "\(seconds / 3_600)h" }
        return seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s"
    }
}
