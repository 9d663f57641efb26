import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// A line between nodes that a test holds in its hand.
private final class Line: Announcements {
    private let listeners = Mutex<[@Sendable (HeardAnnouncement) -> Void]>([])
    private let notes = Mutex<[[UInt8]]>([])

    /// All that was announced.
    var announced: [[UInt8]] { notes.withLock { $0 } }

    func announce(_ note: [UInt8]) {
        notes.withLock { $0.append(note) }
        tell(.note(note))
    }

    func listen(_ body: @Sendable @escaping (HeardAnnouncement) -> Void) { listeners.withLock { $0.append(body) } }
    func tell(_ heard: HeardAnnouncement) { for listener in listeners.withLock({ $0 }) { listener(heard) } }
}

@Suite("News between nodes, over any line", .timeLimit(.minutes(5)))
struct SharedSessionEventsTests {
    private let line = Line()
    private let key = KeyEncryptionKey.random()
    private let topic = EventTopic.account(AccountID(using: SystemRandomSource()))

    private func node(_ key: KeyEncryptionKey? = nil) -> SharedSessionEvents {
        SharedSessionEvents(over: line, key: key ?? self.key, random: SystemRandomSource())
    }

    /// What a listener has heard when this comes, which is told at its own node.
    private func heard(_ news: AsyncStream<SessionNews>, at node: SharedSessionEvents) async -> [SessionNews.Kind] {
        node.publish(SessionNews(.expired, topics: [topic]))
        var kinds: [SessionNews.Kind] = []
        for await item in news {
            if item.kind == .expired { break }
            kinds.append(item.kind)
        }
        return kinds
    }

    @Test("News are heard once at the node that tells them, and once at each other that has the same key; at one with another key never")
    func once() async {
        let (first, second, stranger) = (node(), node(), node(.random()))
        let (here, there, elsewhere) = (first.subscribe(to: [topic]), second.subscribe(to: [topic]), stranger.subscribe(to: [topic]))
        first.publish(SessionNews(.scanned, topics: [topic]))
        #expect(await heard(elsewhere, at: stranger) == [])
        #expect(await heard(there, at: second) == [.scanned])
        #expect(await heard(here, at: first) == [.scanned])
    }

    @Test("At a gap everybody is told to look again, once, whatever and however much they wait for; what is about others is told nobody")
    func gap() async {
        let node = node()
        let topics = (0..<3).map { _ in EventTopic.session(SessionID(using: SystemRandomSource())) }
        let news = node.subscribe(to: topics + [topic])
        line.tell(.gap)
        node.publish(SessionNews(.scanned, topics: [.account(AccountID(using: SystemRandomSource()))]))
        #expect(await heard(news, at: node) == [.missed])
    }

    @Test("Two nodes seal by two keys, and one never the same bytes twice")
    func keys() async {
        let (first, second) = (node(), node())
        for _ in 0..<2 { for node in [first, second] { node.publish(SessionNews(.scanned, topics: [topic])) } }
        let sent = line.announced
        #expect(sent.count == 4 && Set(sent).count == 4)
        // 16 bytes of the writer; behind one byte of the form the four by which a key is known.
        #expect(Set(sent.map { $0[..<16] }).count == 2 && Set(sent.map { $0[17..<21] }).count == 2)
    }
}
