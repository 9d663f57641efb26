import Foundation

/// Takes the structures out of the fences of a page.
struct FenceParser {
    private struct Token: Equatable {
        let text: String
        /// Whether white space stands before it: `v8(32)` says how long, `u8 (0 none)` only remarks.
        let isApart: Bool
    }

    private var tokens: [Token] = []
    private var place = 0

    /// Every `Name { … }` that begins a line inside ``` fences.
    static func structures(in page: String) throws -> [Fence] {
        var all: [Fence] = []
        for (index, part) in page.components(separatedBy: "```").enumerated() where !index.isMultiple(of: 2) {
            var parser = FenceParser(part)
            while let fence = try parser.next() { all.append(fence) }
        }
        return all
    }

    private init(_ text: String) {
        var isApart = true
        var word = ""
        func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "-" || character == "_" }
        func flush(_ tokens: inout [Token]) {
            guard !word.isEmpty else { return }
            tokens.append(Token(text: word, isApart: isApart))
            (word, isApart) = ("", false)
        }
        for character in text {
            if isWord(character) {
                word.append(character)
                continue
            }
            flush(&tokens)
            if character.isNewline {
                tokens.append(Token(text: "\n", isApart: true))
                isApart = true
            } else if character.isWhitespace {
                isApart = true
            } else {
                tokens.append(Token(text: String(character), isApart: isApart))
                isApart = false
            }
        }
        flush(&tokens)
    }

    private var current: Token? { place < tokens.count ? tokens[place] : nil }

    private mutating func skipNewlines() { while current?.text == "\n" { place += 1 } }

    /// A structure at the beginning of a line, or nil at the end; other lines of a fence are formulas.
    private mutating func next() throws -> Fence? {
        while place < tokens.count {
            skipNewlines()
            if let name = current?.text, name.first?.isUppercase == true, place + 1 < tokens.count, tokens[place + 1].text == "{" {
                place += 2
                return Fence(name: name, fields: try fields(upTo: "}", of: name))
            }
            while let token = current, token.text != "\n" {
                place += 1
                // Structures that stand side by side in one line.
                if token.text == "}" || token.text == ")", let name = current?.text, name.first?.isUppercase == true, place + 1 < tokens.count,
                    tokens[place + 1].text == "{"
                {
                    break
                }
            }
        }
        return nil
    }

    private mutating func fields(upTo end: String, of name: String) throws -> [Fence.Field] {
        var fields: [Fence.Field] = []
        while true {
            skipNewlines()
            fields.append(try field(of: name))
            skipNewlines()
            guard let token = current else { throw FenceError(description: "\(name) is not closed") }
            place += 1
            if token.text == end { return fields }
            guard token.text == "," else {
                throw FenceError(description: "\(name): “\(token.text)” where a comma belongs, after \(fields.count) fields")
            }
        }
    }

    private static let words: Set<String> = ["u8", "u16", "u32", "u64", "v8", "v16", "list", "Sig", "RootSig"]

    private mutating func field(of owner: String) throws -> Fence.Field {
        guard let first = current?.text, first.first?.isLetter == true else {
            throw FenceError(description: "\(owner): no field at “\(current?.text ?? "")”")
        }
        let following = place + 1 < tokens.count ? tokens[place + 1] : nil
        var name: String?
        let isNamed = !Self.words.contains(first) && (following?.text == "[" || following?.text == "{" || following?.text.first?.isLetter == true)
        if isNamed {
            name = first
            place += 1
        }
        let start = place
        let type = try type(of: owner)
        var label = type.isSignature ? label(from: start) : nil
        var constant: UInt64?
        if current?.text == "=" {
            place += 1
            constant = current.flatMap { UInt64($0.text, radix: 16) }
            place += 1
        }
        while current?.text == "(" {
            label = label ?? self.label(from: place)
            skipRemark()
        }
        return Fence.Field(name: name, type: type, constant: constant, label: label)
    }

    /// The first text in quotation marks from there on, before the remark ends.
    private func label(from start: Int) -> String? {
        let part = tokens[start...].prefix { $0.text != ")" }
        guard let open = part.firstIndex(where: { $0.text == "\"" }), open + 1 < tokens.count else { return nil }
        return tokens[open + 1].text
    }

    private mutating func skipRemark() {
        var depth = 0
        repeat {
            if current?.text == "(" { depth += 1 }
            if current?.text == ")" { depth -= 1 }
            place += 1
        } while depth > 0 && place < tokens.count
    }

    private mutating func type(of owner: String) throws -> Fence.FieldType {
        guard let word = current?.text else { throw FenceError(description: "\(owner) ends within a field") }
        place += 1
        switch word {
        case "[":
            guard let count = current.flatMap({ Int($0.text) }) else { throw FenceError(description: "\(owner): how many bytes?") }
            place += 2
            return .fixed(count)
        case "{": return .group(try fields(upTo: "}", of: owner))
        case "u8": return .number(1)
        case "u16": return .number(2)
        case "u32": return .number(4)
        case "u64": return .number(8)
        case "v8": return .variable(1, try content(of: owner))
        case "v16": return .variable(2, try content(of: owner))
        case "list": return .list(try items(of: owner))
        case "Sig", "RootSig":
            if current?.text == "(" { skipRemark() }
            return word == "Sig" ? .signature : .rootSignature
        default:
            guard word.first?.isUppercase == true else { throw FenceError(description: "\(owner): “\(word)” is no type") }
            return .structure(word)
        }
    }

    private mutating func items(of owner: String) throws -> [Fence.Field] {
        place += 1
        if current?.text == "(" {
            place += 1
            let fields = try fields(upTo: ")", of: owner)
            place += 1
            return fields
        }
        let item = Fence.Field(name: nil, type: try type(of: owner), constant: nil)
        place += 1
        return [item]
    }

    /// What stands behind a length: `(0|16)`, `(32)`, `(Prekey)`, `(0|Prekey)`, `{ … }`, or nothing said.
    private mutating func content(of owner: String) throws -> Fence.Content {
        if current?.text == "{" {
            place += 1
            return .group(try fields(upTo: "}", of: owner))
        }
        guard let open = current, open.text == "(", !open.isApart else { return .anything }
        place += 1
        var lengths: Set<Int> = []
        var structure: String?
        while let token = current, token.text != ")" {
            if let length = Int(token.text) { lengths.insert(length) } else if token.text != "|" { structure = token.text }
            place += 1
        }
        place += 1
        return structure.map { .structure($0, mayBeEmpty: lengths.contains(0)) } ?? .lengths(lengths)
    }
}

extension Fence.FieldType {
    fileprivate var isSignature: Bool {
        switch self {
        case .signature, .rootSignature: true
        case .number, .fixed, .variable, .structure, .group, .list: false
        }
    }
}
