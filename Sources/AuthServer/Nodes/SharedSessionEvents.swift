import Authentication
import Database
import OstiaryProtocol

/// News between the nodes of one database. What is published here is heard here at once and elsewhere a moment later, or not at all: then everybody
/// there is told to look again, or looks when they would have looked anyway.
///
/// Whoever may use the database may listen to what travels, and may say something, too. So news are sealed, with a key of this writer that follows from
/// the key-encryption key, which all nodes have: nobody else reads which session it is about, or makes a page believe anything.
package final class SharedSessionEvents: SessionEvents {
    private let here = SessionEventHub()
    private let announcements: any Announcements
    private let key: KeyEncryptionKey
    /// Tells this node's notes from those of others: 16 bytes, drawn at its start.
    private let writer: [UInt8]
    private let sealing: KeyEncryptionKey

    /// - Parameter key: what all nodes of the database have.
    package init(over announcements: any Announcements, key: KeyEncryptionKey, random: any RandomSource) {
        self.announcements = announcements
        self.key = key
        writer = random.bytes(Self.writerLength)
        sealing = key.derived(for: Self.purpose, writer: writer)
        announcements.listen { [weak self] in self?.hear($0) }
    }

    package func publish(_ news: SessionNews) {
        here.publish(news)
        for note in SessionNote.notes(of: news) {
            // What can't be sealed is heard when somebody looks.
            guard let sealed = try? sealing.wrap(note.encoded, context: Self.purpose) else { continue }
            announcements.announce(writer + sealed)
        }
    }

    package func subscribe(to topics: [EventTopic]) -> AsyncStream<SessionNews> { here.subscribe(to: topics) }

    /// How many listeners there are here, for tests that look for leaks.
    package var listenerCount: Int { here.listenerCount }

    private func hear(_ announcement: HeardAnnouncement) {
        switch announcement {
        case .gap: here.tellMissed()
        case .note(let bytes): if let news = opened(bytes) { here.publish(news) }
        }
    }

    /// Nil for this node's own, which were heard, and for what no node of this database wrote.
    private func opened(_ bytes: [UInt8]) -> SessionNews? {
        let (writer, sealed) = (Array(bytes.prefix(Self.writerLength)), Array(bytes.dropFirst(Self.writerLength)))
        guard writer.count == Self.writerLength, writer != self.writer else { return nil }
        let opening = key.derived(for: Self.purpose, writer: writer)
        return (try? opening.unwrap(sealed, context: Self.purpose)).flatMap { try? SessionNote(decoding: $0).news }
    }

    private static let writerLength = 16
    /// Another encoding of notes has another name: nodes of two versions hear nothing of each other, and look.
    private static let purpose = "news/1"
}
