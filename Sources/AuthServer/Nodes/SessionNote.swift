import Authentication
import OstiaryProtocol

/// News as they travel between nodes: what somebody who waits makes a difference of, and for all else that something changed.
struct SessionNote: Equatable {
    let news: SessionNews

    /// Topics of one note at most.
    private static let mostTopics = 64

    /// One, or several where they are about very much.
    static func notes(of news: SessionNews) -> [SessionNote] {
        stride(from: 0, to: news.topics.count, by: mostTopics).map { first in
            SessionNote(SessionNews(news.kind, topics: Array(news.topics[first..<min(first + mostTopics, news.topics.count)])))
        }
    }

    private init(_ news: SessionNews) { self.news = news }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        write(news.kind, to: &writer)
        writer.list(news.topics) { writer, topic in
            switch topic {
            case .session(let id): writer.named(.session, id)
            case .stream(let id): writer.named(.stream, id)
            case .account(let id): writer.named(.account, id)
            }
        }
        return writer.bytes
    }

    /// - Throws: `WireError`.
    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        let kind = try Self.kind(from: &reader)
        let topics = try reader.list(cap: Self.mostTopics) { (reader: inout ByteReader) throws(WireError) -> EventTopic in
            switch try reader.choice(TopicKind.self) {
            case .session: .session(try SessionID(from: &reader))
            case .stream: .stream(try StreamID(from: &reader))
            case .account: .account(try AccountID(from: &reader))
            }
        }
        try reader.finish()
        news = SessionNews(kind, topics: topics)
    }

    fileprivate enum TopicKind: UInt8 {
        case session = 1
        case stream = 2
        case account = 3
    }

    private enum Kind: UInt8 {
        case changed = 1
        case scanned = 2
        case loggedIn = 3
        case loggedOut = 4
        case cancelled = 5
        case expired = 6
        case activated = 7
    }

    private func write(_ kind: SessionNews.Kind, to writer: inout ByteWriter) {
        switch kind {
        case .scanned: writer.choice(Kind.scanned)
        case .loggedIn(let account):
            writer.choice(Kind.loggedIn)
            account.write(to: &writer)
        case .loggedOut(let reason):
            writer.choice(Kind.loggedOut)
            writer.choice(reason)
        case .cancelled(let notMe):
            writer.choice(Kind.cancelled)
            writer.u8(notMe ? 1 : 0)
        case .expired: writer.choice(Kind.expired)
        case .enrolment(.activated(let account)):
            writer.choice(Kind.activated)
            account.write(to: &writer)
        case .claimed, .returning, .phoneState, .enrolment, .accountChanged, .missed: writer.choice(Kind.changed)
        }
    }

    private static func kind(from reader: inout ByteReader) throws(WireError) -> SessionNews.Kind {
        switch try reader.choice(Kind.self) {
        case .changed: .accountChanged
        case .scanned: .scanned
        case .loggedIn: .loggedIn(try AccountID(from: &reader))
        case .loggedOut: .loggedOut(try reader.choice())
        case .cancelled: .cancelled(notMe: try reader.u8() == 1)
        case .expired: .expired
        case .activated: .enrolment(.activated(account: try AccountID(from: &reader)))
        }
    }
}

extension ByteWriter {
    fileprivate mutating func named(_ kind: SessionNote.TopicKind, _ id: Identifier<some Any>) {
        choice(kind)
        id.write(to: &self)
    }
}
