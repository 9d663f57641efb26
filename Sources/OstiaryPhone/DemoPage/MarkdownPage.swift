/// A page of our own documentation as HTML: as much of Markdown as those pages use, and nothing that would let text become markup.
///
/// Headings get the anchors that a code host gives them; in the fences of the protocol each structure gets one by its name, so that `#m1` is
/// where M1 is laid down.
struct MarkdownPage: Sendable {
    /// Where a relative link leads; nil when it leads nowhere here.
    let resolve: @Sendable (_ target: String) -> String?

    func html(of text: String) -> String {
        var anchors: Set<String> = []
        return blocks(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init), &anchors)
    }

    // MARK: Blocks

    private func blocks(_ lines: [String], _ anchors: inout Set<String>) -> String {
        var html = ""
        var rest = lines[...]
        while let line = rest.first {
            if line.allSatisfy(\.isWhitespace) {
                rest.removeFirst()
            } else if let mark = fenceMark(line) {
                rest.removeFirst()
                let body = rest.prefix { fenceMark($0) != mark }
                rest = rest.dropFirst(body.count + 1)
                html += "<pre tabindex=\"0\">\(fence(Array(body), &anchors))</pre>\n"
            } else if line.hasPrefix("    ") {
                var body = rest.prefix { $0.hasPrefix("    ") || $0.isEmpty }
                rest = rest.dropFirst(body.count)
                while body.last?.isEmpty == true { body.removeLast() }
                html += "<pre tabindex=\"0\">\(fence(body.map { String($0.dropFirst(4)) }, &anchors))</pre>\n"
            } else if let heading = heading(line, &anchors) {
                rest.removeFirst()
                html += heading
            } else if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("|") {
                let rows = rest.prefix { $0.trimmingPrefix(while: \.isWhitespace).hasPrefix("|") }
                rest = rest.dropFirst(rows.count)
                html += table(Array(rows))
            } else if let marker = marker(line) {
                html += list(&rest, isOrdered: marker.isOrdered, &anchors)
            } else {
                let body = [line] + rest.dropFirst().prefix { !endsParagraph($0) }
                rest = rest.dropFirst(body.count)
                html += "<p>\(inline(body.joined(separator: " ")))</p>\n"
            }
        }
        return html
    }

    private func endsParagraph(_ line: String) -> Bool {
        line.allSatisfy(\.isWhitespace) || fenceMark(line) != nil || marker(line) != nil || line.hasPrefix("#") || line.hasPrefix("|")
    }

    private func fenceMark(_ line: String) -> String? {
        let start = line.trimmingPrefix(while: \.isWhitespace)
        return start.hasPrefix("```") ? "```" : start.hasPrefix("~~~") ? "~~~" : nil
    }

    private func heading(_ line: String, _ anchors: inout Set<String>) -> String? {
        let level = line.prefix { $0 == "#" }.count
        guard (1...6).contains(level), line.dropFirst(level).hasPrefix(" ") else { return nil }
        let text = line.dropFirst(level + 1)
        return "<h\(level)\(id(Self.anchor(of: text), &anchors))>\(inline(String(text)))</h\(level)>\n"
    }

    /// `§5 Enrolment` is `5-enrolment`.
    static func anchor(of heading: some StringProtocol) -> String {
        String(heading.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil })
    }

    private func id(_ anchor: String, _ anchors: inout Set<String>) -> String { anchors.insert(anchor).inserted ? " id=\"\(escaped(anchor))\"" : "" }

    private func fence(_ lines: [String], _ anchors: inout Set<String>) -> String {
        lines.map { line in
            // A structure begins a line, or stands behind another with room between.
            let pattern = /(^|\s{2,})([A-Z][A-Za-z0-9]*)(\s*[{=])/
            var html = ""
            var rest = line[...]
            while let found = rest.firstMatch(of: pattern) {
                html += escaped(rest[..<found.range.lowerBound]) + found.1
                html += "<b\(id(found.2.lowercased(), &anchors))>\(found.2)</b>" + found.3
                rest = rest[found.range.upperBound...]
            }
            return html + escaped(rest)
        }.joined(separator: "\n")
    }

    private func table(_ rows: [String]) -> String {
        var html = "<table>\n"
        for (place, row) in rows.enumerated() where place != 1 {
            let cells = cells(of: row)
            let kind = place == 0 ? "th" : "td"
            html += "<tr>" + cells.map { "<\(kind)>\(inline($0))</\(kind)>" }.joined() + "</tr>\n"
        }
        return html + "</table>\n"
    }

    /// A bar behind a backslash is no border.
    private func cells(of row: String) -> [String] {
        var cells = [""]
        var isEscaped = false
        for character in row.trimmingPrefix(while: \.isWhitespace).dropFirst() {
            if isEscaped {
                cells[cells.count - 1] += character == "|" ? "|" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "|" {
                cells.append("")
            } else {
                cells[cells.count - 1].append(character)
            }
        }
        if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
        return cells.map { String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
    }

    // MARK: Lists

    private func marker(_ line: String) -> (indent: Int, width: Int, isOrdered: Bool)? {
        let indent = line.prefix { $0 == " " }.count
        let rest = line.dropFirst(indent)
        if rest.hasPrefix("* ") || rest.hasPrefix("- ") { return (indent, 2, false) }
        let digits = rest.prefix(while: \.isNumber).count
        return digits > 0 && rest.dropFirst(digits).hasPrefix(". ") ? (indent, digits + 2, true) : nil
    }

    private func indent(of line: String) -> Int { line.prefix { $0 == " " }.count }

    private func list(_ rest: inout ArraySlice<String>, isOrdered: Bool, _ anchors: inout Set<String>) -> String {
        var items = ""
        while let line = rest.first, let found = marker(line), found.isOrdered == isOrdered {
            var body = [String(line.dropFirst(found.indent + found.width))]
            rest.removeFirst()
            while let next = rest.first {
                let isBlank = next.allSatisfy(\.isWhitespace)
                // A blank line belongs to the item when what follows it does.
                guard indent(of: isBlank ? rest.dropFirst().first ?? "" : next) > found.indent else { break }
                body.append(isBlank ? "" : String(next.dropFirst(min(found.indent + found.width, indent(of: next)))))
                rest.removeFirst()
            }
            items += "<li>\(blocks(body, &anchors))</li>\n"
            // One blank line does not end a list that goes on.
            if rest.first?.allSatisfy(\.isWhitespace) == true, rest.dropFirst().first.flatMap(marker)?.isOrdered == isOrdered { rest.removeFirst() }
        }
        return isOrdered ? "<ol>\n\(items)</ol>\n" : "<ul>\n\(items)</ul>\n"
    }

    // MARK: Text

    private func inline(_ text: String) -> String {
        // What stands between two marks of code is not looked into.
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
            place % 2 == 1 ? "<code>\(escaped(part))</code>" : marked(escaped(part))
        }.joined()
    }

    /// Links and stress in text that is escaped already.
    private func marked(_ text: String) -> String {
        let linked = text.replacing(/\[([^\]]*)\]\(([^)]*)\)/) { found in
            resolve(String(found.2)).map { "<a href=\"\($0)\">\(found.1)</a>" } ?? String(found.1)
        }
        let strong = linked.replacing(/\*\*([^*]+)\*\*/) { "<strong>\($0.1)</strong>" }
        return strong.replacing(/\*([^*\s][^*]*)\*/) { "<em>\($0.1)</em>" }
    }

    private func escaped(_ text: some StringProtocol) -> String { DemoSitePages.escaped(String(text)) }
}
