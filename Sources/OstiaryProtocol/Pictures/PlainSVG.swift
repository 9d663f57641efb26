/// Which SVG is a plain drawing: shapes, texts, groups and gradients, in XML that can be read in one way only.
///
/// What may be in it is listed, rather than what may not. Nothing in the list is drawn more than once, moves, is filtered, or comes from elsewhere.
enum PlainSVG {
    static let mostElements = 1_000
    /// Each level may be a layer of its own, as large as the picture.
    static let mostLevels = 16
    /// Bytes between the tags that are no spaces. What a letter costs grows with the marks on it: 30,000 of them on one hold a browser up for 20 seconds.
    static let mostText = 4_096
    /// Bytes of one outline (`d`, `points`). What it costs to fill grows faster than it gets longer: of 60,000 bytes four take half the time of one.
    static let longestOutline = 16_384
    /// The same where anything in the drawing has a stroke, whose joins are drawn at each bend: 60,000 bytes of one outline took ten seconds, and of
    /// fourteen half a second.
    static let longestStroked = 4_096

    static func allows(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var reader = SVGReader(bytes)
        return reader.isPlain()
    }

    static let elements: Set<String> = [
        "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc", "defs", "linearGradient",
        "radialGradient", "stop",
    ]

    /// What can stand in `style` as well. Dashes are not among it: a short one along a long path is drawn a million times.
    private static let looks: Set<String> = [
        "fill", "fill-rule", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit",
        "opacity", "color", "stop-color", "stop-opacity", "clip-rule", "display", "visibility", "shape-rendering", "text-anchor", "font-family",
        "font-size", "font-weight", "font-style", "letter-spacing",
    ]

    private static let attributes: Set<String> = [
        "id", "class", "version", "baseProfile", "xmlns", "xml:space", "xml:lang", "lang", "role", "viewBox", "preserveAspectRatio", "width",
        "height", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry", "fx", "fy", "d", "points", "transform", "offset",
        "gradientUnits", "gradientTransform", "spreadMethod",
    ]

    static func allowsAttribute(_ name: String, _ value: String) -> Bool {
        if name == "style" { return value.split(separator: ";").allSatisfy(isDeclaration) }
        guard allowsValue(value) else { return false }
        return attributes.contains(name) || looks.contains(name) || name.hasPrefix("xmlns:") || name.hasPrefix("aria-") || name.hasPrefix("data-")
    }

    /// Whether an attribute gives a stroke to the element or to what is in it.
    static func strokes(_ name: String, _ value: String) -> Bool {
        let declarations = name == "style" ? value.split(separator: ";").map { $0.split(separator: ":", maxSplits: 1) } : [[name[...], value[...]]]
        return declarations.contains { declaration in
            let words = declaration.map { $0.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            return words.first == "stroke" && words.last != "none"
        }
    }

    private static func isDeclaration(_ text: Substring) -> Bool {
        if text.allSatisfy(\.isWhitespace) { return true }
        guard let colon = text.firstIndex(of: ":") else { return false }
        let name = String(text[..<colon].drop(while: \.isWhitespace))
        return looks.contains(name) && allowsValue(String(text[text.index(after: colon)...]))
    }

    /// References are to the drawing's own gradients; an escape could hide another.
    private static func allowsValue(_ value: String) -> Bool {
        guard !value.utf8.contains(0x5C), !value.utf8.contains(0x26) else { return false }
        var rest = Array(value.lowercased().utf8)[...]
        let beginning = Array("url(".utf8)
        while let place = rest.indices.first(where: { rest[$0...].starts(with: beginning) }) {
            rest = rest[(place + beginning.count)...]
            guard let next = rest.first(where: { ![0x20, 0x22, 0x27].contains($0) }), next == 0x23 else { return false }
        }
        return true
    }
}
