extension QRSymbol {
    /// The symbol as an SVG document with one path, one unit a module, a white ground and the quiet zone.
    ///
    /// The size is the page's business: the document has a `viewBox` and no width or height. It has no style and no script, so it
    /// needs no exception in a content security policy.
    /// - Parameter title: what a screen reader says.
    package func svg(title: String) -> String {
        let edge = side + 2 * Self.quietZone
        let label = Self.escaped(title)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(edge) \(edge)" role="img" aria-label="\(label)" shape-rendering="crispEdges">\
            <title>\(label)</title><rect width="\(edge)" height="\(edge)" fill="#fff"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    /// One rectangle for each run of dark modules in a row: `M` to its top left corner, then right, down, back.
    private var path: String {
        var path = ""
        for row in 0..<side {
            var column = 0
            while column < side {
                let start = column
                while isDark(column: column, row: row) { column += 1 }
                if column > start {
                    let length = column - start
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
                }
                column += 1
            }
        }
        return path
    }

    /// Text for an element or a double-quoted attribute. What XML 1.0 forbids altogether is left out.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
