extension QRSymbol {
    /// What a terminal can do.
    package enum TerminalStyle: Sendable {
        /// 256 colours: black on white whatever the person's theme is.
        case coloured
        /// No escape sequences: light modules are drawn, so it reads right on a dark ground.
        case plain
    }

    /// The symbol in half blocks, two rows of modules a line, every line ended by a newline.
    /// - Parameter margin: light modules on each side; two are enough for every reader we tried, and save lines.
    package func terminal(style: TerminalStyle = .coloured, margin: Int = 2) -> String {
        let columns = -margin..<(side + margin)
        var lines = ""
        for row in stride(from: -margin, to: side + margin, by: 2) {
            let halves = columns.map { half(upper: !isDark(column: $0, row: row), lower: !isDark(column: $0, row: row + 1)) }
            switch style {
            // Foreground is colour 231 (white) and ground is 16 (black) of the fixed part of the 256 colours.
            case .coloured: lines += "\u{1B}[38;5;231;48;5;16m" + halves.joined() + "\u{1B}[0m\n"
            case .plain: lines += halves.joined() + "\n"
            }
        }
        return lines
    }

    /// One character for two modules, drawn where they are light.
    private func half(upper: Bool, lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
    }
}
