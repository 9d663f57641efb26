import Foundation

/// Notes that wait to be sent, and the text in which they travel: in base64 with a full stop between two, as many as one NOTIFY takes. A gap is an empty text.
struct AnnouncementBatch {
    /// Bytes of a text; the server takes less than 8000.
    static let longest = 7_900

    private let most: Int
    private var notes: [[UInt8]] = []
    /// Whether others have to be told that something may have got lost.
    var hasGap = false

    /// - Parameter most: notes at a time.
    init(most: Int = 1_000) { self.most = most }

    mutating func add(_ note: [UInt8]) {
        guard notes.count < most, !note.isEmpty, Self.length(of: note) <= Self.longest else {
            // Whoever is told of a gap needs none of the others.
            (notes, hasGap) = ([], true)
            return
        }
        notes.append(note)
    }

    /// All that waits, as texts.
    mutating func take() -> [String] {
        defer { (notes, hasGap) = ([], false) }
        var texts: [String] = hasGap ? [""] : []
        var text = ""
        for note in notes {
            if !text.isEmpty, text.utf8.count + 1 + Self.length(of: note) > Self.longest {
                texts.append(text)
                text = ""
            }
            text += (text.isEmpty ? "" : ".") + Data(note).base64EncodedString()
        }
        return text.isEmpty ? texts : texts + [text]
    }

    /// What a text says. Of one that is none of ours it says nothing.
    static func read(_ text: String) -> [HeardAnnouncement] {
        text.isEmpty ? [.gap] : text.split(separator: ".").compactMap { Data(base64Encoded: String($0)).map { .note(Array($0)) } }
    }

    private static func length(of note: [UInt8]) -> Int { (note.count + 2) / 3 * 4 }
}
