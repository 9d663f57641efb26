import CPageFiles
import Mustache
import OstiaryTokens

/// The pages as they are sent, each made from Assets when it is first asked for: their templates with the texts of each language, and everything without the comments and the
/// indentation that only we read.
struct PageSource: Sendable {
    enum Page: String, CaseIterable, Sendable {
        case login, enrol, link, missing, trouble
        /// Of the provider: what a person is asked, where a device's code is typed, and the way out.
        case consent, device, logout
        /// The same for what goes no further: a client that asks wrongly, and a visit that is over.
        case refused, stale
        /// What brings the answer to a client that wants it posted.
        case send
        /// The login page in a frame.
        case embed

        /// The template and the texts that it has; a frame has those of the page.
        fileprivate var template: Page { self == .embed ? .login : self }
    }

    /// What a page says, by its name, for each language; `dir` is the direction in which it is written.
    typealias Catalogue = [String: [String: String]]

    /// The texts of each language as HTML.
    private let texts: Catalogue
    private let library: MustacheLibrary

    /// The texts of each language as they are.
    /// - Throws: when the file of the program is not what it was.
    static func catalogue() throws -> Catalogue {
        let languages = try JSONReader.object(PageFile.texts_json.bytes).members.map { language in
            guard let texts = language.value.object else { throw JSONError.notAnObject }
            let said = try texts.members.map { text in
                guard let words = text.value.string else { throw JSONError.badString }
                return (text.name, words)
            }
            return (language.name, Dictionary(uniqueKeysWithValues: said))
        }
        return Dictionary(uniqueKeysWithValues: languages)
    }

    /// - Parameter plain: the texts of each language as they are.
    /// - Throws: when the files of the program are not what they were; a test makes every page.
    init(_ plain: Catalogue) throws {
        texts = plain.mapValues(Self.markup)
        let files = [
            "head": PageFile.head_html.bytes, "begin": PageFile.begin_html.bytes, "foot": PageFile.foot_html.bytes,
            "marks": PageFile.marks_html.bytes, "login": PageFile.login_html.bytes, "enrol": PageFile.enrol_html.bytes,
            "link": PageFile.link_html.bytes, "missing": PageFile.missing_html.bytes, "trouble": PageFile.trouble_html.bytes,
            "consent": PageFile.consent_html.bytes, "device": PageFile.device_html.bytes, "logout": PageFile.logout_html.bytes,
            "refused": PageFile.refused_html.bytes, "stale": PageFile.stale_html.bytes,
            "send": PageFile.send_html.bytes,
        ]
        library = MustacheLibrary(templates: try files.mapValues { try MustacheTemplate(string: String(decoding: $0, as: UTF8.self)) })
    }

    func html(_ page: Page, in language: PageLanguage) throws -> [UInt8] {
        guard let texts = texts[language.rawValue] else { throw PageSourceError.noTexts(language) }
        var values: [String: Any] = texts
        values["lang"] = language.rawValue
        values["title"] = values["\(page.template.rawValue)Title"]
        values["framed"] = page == .embed
        guard let html = library.render(values, withTemplate: page.template.rawValue) else { throw PageSourceError.noTemplate(page) }
        return Self.strippedMarkup(Array(html.utf8))
    }

    /// Without indentation, empty lines, and comments that have their lines for themselves: `//` to the end of the line, `/*` to the line with `*/`.
    static func stripped(_ bytes: [UInt8]) -> [UInt8] { Array(lines(of: bytes).joined(separator: "\n").utf8) + [0x0A] }

    private static func lines(of bytes: [UInt8]) -> [Substring] {
        var (lines, isComment) = ([Substring](), false)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            isComment = isComment || text.hasPrefix("/*")
            if !isComment, !text.hasPrefix("//"), !text.isEmpty { lines.append(text) }
            if isComment, text.contains("*/") { isComment = false }
        }
        return lines
    }

    /// Markup, which shows nothing of an end of line between its blocks of text.
    static func strippedMarkup(_ bytes: [UInt8]) -> [UInt8] {
        let blocks = ["section", "h1", "p", "ul", "li"].flatMap { ["<\($0)", "</\($0)"] }
        var (text, endsTag) = ([UInt8](), false)
        for line in lines(of: bytes) {
            let isBlock = blocks.contains { line.hasPrefix($0) }
            if !text.isEmpty, !(endsTag && isBlock) { text.append(0x0A) }
            text += line.utf8
            endsTag = line.hasSuffix(">")
        }
        return withoutEnds(text + [0x0A])
    }

    /// Without the ends of paragraphs and of items of a list, where each ends by itself: where the next one begins, or what it stands in ends.
    private static func withoutEnds(_ markup: [UInt8]) -> [UInt8] {
        let ends = [("</p>", ["<p>", "<p ", "<ul", "</section>"]), ("</li>", ["<li>", "</ul>"])].map { end, nexts in
            (end: Array(end.utf8), nexts: nexts.map { Array($0.utf8) })
        }
        var (kept, index) = ([UInt8](), 0)
        while index < markup.count {
            // Almost every byte is none of theirs.
            if markup[index] == UInt8(ascii: "<"), index + 1 < markup.count, markup[index + 1] == UInt8(ascii: "/") {
                let rest = markup[index...]
                let found = ends.first { end, nexts in
                    rest.starts(with: end) && nexts.contains { rest.dropFirst(end.count).starts(with: $0) }
                }
                if let found {
                    index += found.end.count
                    continue
                }
            }
            kept.append(markup[index])
            index += 1
        }
        return kept
    }

    /// Scripts, which need no semicolon at the end of a line where a block ends next, or a statement begins with a word: that never goes on with what
    /// stands before it. Nor do they need spaces around operators.
    static func strippedScript(_ bytes: [UInt8]) -> [UInt8] {
        let text = stripped(bytes)
        let kept = text.indices.filter { index in
            guard text[index] == UInt8(ascii: ";"), index + 2 < text.count, text[index + 1] == 0x0A else { return true }
            switch text[index + 2] {
            case UInt8(ascii: "}"), UInt8(ascii: "#"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return false
            default: return true
            }
        }.map { text[$0] }
        // Those that stand in no text of ours.
        return Array(
            ["=>", "===", "!==", "&&", "||"].reduce(String(decoding: kept, as: UTF8.self)) { $0.replacing(" \($1) ", with: $1) }.utf8)
    }

    /// Stylesheets, whose punctuation needs no spaces or ends of lines either.
    static func strippedStyle(_ bytes: [UInt8]) -> [UInt8] {
        let text = [
            (": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}"), ("{\n", "{"), (";\n", ";"), ("}\n", "}"), (";}", "}"),
        ]
        .reduce(String(decoding: stripped(bytes), as: UTF8.self)) { $0.replacing($1.0, with: $1.1) }
        return Array(text.utf8)
    }

    /// The texts of a language as HTML; in the place of `{name}`, `{device}`, `{app}` and `{client}` stands what the page puts in by script.
    private static func markup(_ texts: [String: String]) -> [String: String] {
        let places = [("name", "name", ""), ("device", "device", "yourPhone"), ("app", "appname", "theApp"), ("client", "client", "")].map {
            name, attribute, otherwise in
            ("{\(name)}", "<strong data-\(attribute) dir=\"auto\">\(escaped(texts[otherwise] ?? ""))</strong>")
        }
        return texts.mapValues { text in
            places.reduce(escaped(text)) { text, place in text.contains(place.0) ? text.replacing(place.0, with: place.1) : text }
        }
    }

    /// For elements and for attributes in double quotes.
    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

enum PageSourceError: Error {
    case noTexts(PageLanguage)
    case noTemplate(PageSource.Page)
}
