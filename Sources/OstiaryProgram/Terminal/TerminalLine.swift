/// A line for a person at a terminal, which keeps our words apart from text of others: of a server, a website, somebody else's phone.
///
///     let line: TerminalLine = "Log in to \(others: session.title)"
///
/// A text of others must not begin a row that looks like one of ours. So rows with it end before the terminal ends them, and each row that our words do
/// not begin has ``TerminalRows/mark`` in front, as no row of ours has.
package struct TerminalLine: Equatable, ExpressibleByStringInterpolation {
    fileprivate enum Part: Equatable {
        case ours(String)
        case others(String)
    }

    private var parts: [Part]

    /// A line of nothing but our words.
    package init(ours words: String) { parts = [.ours(words)] }

    package init(stringLiteral words: String) { self.init(ours: words) }

    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    package static func + (first: TerminalLine, second: TerminalLine) -> TerminalLine {
        var whole = first
        whole.parts += second.parts
        return whole
    }

    /// Its rows on a terminal of that many columns, with a line feed between two.
    package func text(columns: Int) -> String {
        var rows = TerminalRows(columns: columns)
        for part in parts {
            switch part {
            case .ours(let words): rows.add(ours: words)
            case .others(let text): rows.add(others: text)
            }
        }
        return rows.text
    }

    /// Whatever is put into a line is said to be ours or of others.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ words: String) { parts.append(.ours(words)) }
        package mutating func appendInterpolation(ours words: String) { parts.append(.ours(words)) }
        package mutating func appendInterpolation(others text: String) { parts.append(.others(text)) }
    }
}
