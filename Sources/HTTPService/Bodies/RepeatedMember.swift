import Foundation

/// Finds a member that an object has twice. The decoder of the library takes the first and says nothing, other programs take the last: nobody
/// knows which was meant, and what one of them checked would not be what the other does.
struct RepeatedMember {
    /// An object or a list that is open.
    private struct Level {
        /// The names so far; nil for a list.
        var names: Set<String>?
        /// Where it stands: the name of the member, or the index of the element.
        var place = ""
        var index = 0
        /// The next text is a name.
        var wantsName = true
    }

    private let bytes: [UInt8]
    private var position = 0
    /// Whether nothing but white space stands between the last comma and the position.
    private var isBehindComma = false
    private var levels: [Level] = []

    private static let space = [UInt8](" \t\r\n".utf8)

    private let takesNull: Bool

    private init(_ bytes: [UInt8], takesNull: Bool) { (self.bytes, self.takesNull) = (bytes, takesNull) }

    /// The path of the first such member, such as `announceinfo.ip`; nil when there is none.
    /// - Parameter bytes: what a JSON decoder has taken.
    /// - Throws: ``FieldRefusal`` of the member that is null, where none may be; ``FieldRefusal/notJSON`` for what the decoder takes and is no JSON in
    ///   UTF-8 (RFC 8259): another encoding, a byte order mark, a comma behind the last member or element.
    static func first(in bytes: [UInt8], takesNull: Bool) throws(FieldRefusal) -> String? {
        guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .notJSON }
        var search = RepeatedMember(bytes, takesNull: takesNull)
        return try search.run()
    }

    private mutating func run() throws(FieldRefusal) -> String? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            let wasBehindComma = isBehindComma
            if !Self.space.contains(byte) { isBehindComma = byte == UInt8(ascii: ",") }
            switch byte {
            case UInt8(ascii: "}") where wasBehindComma, UInt8(ascii: "]") where wasBehindComma: throw .notJSON
            case UInt8(ascii: "{"): levels.append(Level(names: []))
            case UInt8(ascii: "["): levels.append(Level(names: nil, place: "[0]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","): next()
            case UInt8(ascii: "\""):
                let text = try text()
                if isRepeated(text) { return path }
            // Outside texts no other word of JSON begins like this.
            case UInt8(ascii: "n") where !takesNull: throw .bad(path, "is null: leave out what is not meant")
            default: break
            }
        }
        return nil
    }

    private mutating func next() {
        guard var level = levels.popLast() else { return }
        level.index += 1
        level.wantsName = true
        if level.names == nil { level.place = "[\(level.index)]" }
        levels.append(level)
    }

    /// Whether the text is a name that its object has already.
    private mutating func isRepeated(_ text: String) -> Bool {
        guard var level = levels.popLast() else { return false }
        defer { levels.append(level) }
        guard level.wantsName, level.names != nil else { return false }
        level.wantsName = false
        level.place = text
        return level.names?.insert(text).inserted == false
    }

    /// The text that began before the position, which goes behind its end. One name can be written in several ways.
    private mutating func text() throws(FieldRefusal) -> String {
        let start = position - 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
        position += 1
        guard position <= bytes.count else { throw .notJSON }
        let written = bytes[start..<position]
        guard written.contains(UInt8(ascii: "\\")) else { return String(decoding: written.dropFirst().dropLast(), as: UTF8.self) }
        guard let text = try? JSONDecoder().decode(String.self, from: Data(written)) else { throw .notJSON }
        return text
    }

    private var path: String {
        levels.reduce(into: "") { path, level in
            let place = String(level.place.prefix(64))
            path += path.isEmpty || level.names == nil ? place : "." + place
        }
    }
}
