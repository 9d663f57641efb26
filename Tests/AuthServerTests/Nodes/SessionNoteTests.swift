import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("News as they travel between nodes")
struct SessionNoteTests {
    private static let account = AccountID(using: SystemRandomSource())
    private static let topics: [EventTopic] = [
        .session(SessionID(using: SystemRandomSource())), .stream(StreamID(using: SystemRandomSource())), .account(account),
    ]
    /// What pages tell apart.
    private static let told: [SessionNews.Kind] =
        [.scanned, .loggedIn(account), .expired, .cancelled(notMe: true), .cancelled(notMe: false), .enrolment(.activated(account: account))]
        + StopReason.allCases.map { .loggedOut($0) }
    private static let other: [SessionNews.Kind] = [
        .claimed, .returning, .phoneState, .accountChanged, .missed, .enrolment(.waitingForPhone), .enrolment(.phoneScanned(device: "Nokia")),
        .enrolment(.headlessAdded(account: account)), .enrolment(.failed(.expired)),
    ]

    private func heard(_ news: SessionNews) throws -> [SessionNews] {
        try SessionNote.notes(of: news).map { try SessionNote(decoding: $0.encoded).news }
    }

    @Test("What pages tell apart comes as it was; of all else, that something changed")
    func kinds() throws {
        for kind in Self.told { #expect(try heard(SessionNews(kind, topics: Self.topics)) == [SessionNews(kind, topics: Self.topics)]) }
        for kind in Self.other {
            #expect(try heard(SessionNews(kind, topics: Self.topics)) == [SessionNews(.accountChanged, topics: Self.topics)])
        }
    }

    @Test("What is about very much travels in several notes, none of which is long; what is about nothing does not travel")
    func many() throws {
        let topics = (0..<150).map { _ in EventTopic.session(SessionID(using: SystemRandomSource())) }
        let notes = SessionNote.notes(of: SessionNews(.accountChanged, topics: topics))
        #expect(notes.flatMap(\.news.topics) == topics)
        #expect(notes.count == 3 && notes.allSatisfy { $0.encoded.count < 1_200 })
        #expect(SessionNote.notes(of: SessionNews(.missed, topics: [])).isEmpty)
    }

    @Test("Cut anywhere, or with a byte too many, a note is none")
    func malformed() throws {
        for kind in Self.told {
            let bytes = try #require(SessionNote.notes(of: SessionNews(kind, topics: Self.topics)).first).encoded
            for length in bytes.indices { #expect(throws: WireError.self) { try SessionNote(decoding: Array(bytes[..<length])) } }
            #expect(throws: WireError.trailingBytes) { try SessionNote(decoding: bytes + [0]) }
            for first in [0, 8, 255] as [UInt8] { #expect(throws: WireError.badValue) { try SessionNote(decoding: [first] + bytes.dropFirst()) } }
        }
    }
}
