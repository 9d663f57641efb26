/// Reads the tags of a drawing, once and from the beginning, and stops at the first that is not in the lists of ``PlainSVG``. Stricter than XML: no document
/// type, hence no entities; no instructions, no CDATA, no prefixes of elements, one encoding.
struct SVGReader {
    private let bytes: [UInt8]
    private var place = 0
    private var open: [String] = []
    private var elements = 0
    private var letters = 0
    private var longestOutline = 0
    private var isStroked = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all of it may be drawn.
    mutating func isPlain() -> Bool {
        _ = take([0xEF, 0xBB, 0xBF])
        if take("<?xml ") {
            guard let declaration = text(upTo: "?>"), Self.isOfUTF8(declaration) else { return false }
        }
        while place < bytes.count {
            if bytes[place] != Self.less {
                if !Self.isSpace(bytes[place]) {
                    letters += 1
                    // Outside the one element there is nothing to read.
                    guard !open.isEmpty, letters <= PlainSVG.mostText else { return false }
                }
                place += 1
            } else if take("<!--") {
                guard text(upTo: "-->") != nil else { return false }
            } else if take("</") {
                let name = takeName()
                takeSpace()
                guard take(">"), open.popLast() == name else { return false }
            } else {
                place += 1
                guard takeTag() else { return false }
            }
        }
        guard longestOutline <= (isStroked ? PlainSVG.longestStroked : PlainSVG.longestOutline) else { return false }
        return elements > 0 && open.isEmpty
    }

    /// After the `<`.
    private mutating func takeTag() -> Bool {
        let name = takeName()
        elements += 1
        guard PlainSVG.elements.contains(name), (name == "svg") == (elements == 1), elements == 1 || !open.isEmpty else { return false }
        guard elements <= PlainSVG.mostElements, open.count < PlainSVG.mostLevels else { return false }
        while true {
            let before = place
            takeSpace()
            if take("/>") { return true }
            if take(">") {
                open.append(name)
                return true
            }
            guard place > before, takeAttribute() else { return false }
        }
    }

    private mutating func takeAttribute() -> Bool {
        let name = takeName()
        takeSpace()
        guard !name.isEmpty, take("=") else { return false }
        takeSpace()
        guard let value = take("\"") ? text(upTo: "\"") : take("'") ? text(upTo: "'") : nil else { return false }
        if ["d", "points"].contains(name) { longestOutline = max(longestOutline, value.utf8.count) }
        isStroked = isStroked || PlainSVG.strokes(name, value)
        return !value.utf8.contains(Self.less) && PlainSVG.allowsAttribute(name, value)
    }

    /// Letters, digits, `:`, `-`, `_` and `.`.
    private mutating func takeName() -> String {
        let beginning = place
        while place < bytes.count {
            switch bytes[place] {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x3A, 0x2D, 0x2E, 0x5F: place += 1
            default: return String(decoding: bytes[beginning..<place], as: UTF8.self)
            }
        }
        return String(decoding: bytes[beginning..<place], as: UTF8.self)
    }

    private mutating func takeSpace() {
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool { take(text.withUTF8Buffer { Array($0) }) }

    private mutating func take(_ wanted: [UInt8]) -> Bool {
        guard bytes[place...].starts(with: wanted) else { return false }
        place += wanted.count
        return true
    }

    /// What stands before the end, which is taken too; nil when there is none.
    private mutating func text(upTo end: StaticString) -> String? {
        let (beginning, end) = (place, end.withUTF8Buffer { Array($0) })
        while place < bytes.count {
            if take(end) { return String(decoding: bytes[beginning..<(place - end.count)], as: UTF8.self) }
            place += 1
        }
        return nil
    }

    private static func isOfUTF8(_ declaration: String) -> Bool {
        let text = declaration.lowercased()
        return !text.contains("encoding") || text.contains("encoding=\"utf-8\"") || text.contains("encoding='utf-8'")
    }

    private static let less: UInt8 = 0x3C

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
