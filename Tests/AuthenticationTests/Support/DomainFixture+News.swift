import Authentication

extension DomainFixture {
    /// All that was heard of a topic until now, in a story without a scan.
    func heard(_ news: AsyncStream<SessionNews>, of topic: EventTopic) async -> [SessionNews.Kind] {
        hub.publish(SessionNews(.scanned, topics: [topic]))
        var kinds: [SessionNews.Kind] = []
        for await each in news {
            guard each.kind != .scanned else { break }
            kinds.append(each.kind)
        }
        return kinds
    }
}
