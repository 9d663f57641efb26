import Testing

@testable import Database

@Suite("Announcements that wait to be sent")
struct AnnouncementBatchTests {
    @Test("What waits goes out together, in its order, in texts that the server takes, and comes out as it was")
    func together() {
        for (count, length) in [(1, 1), (3, 100), (1_000, 94), (7, 4_000), (2, 5_925)] {
            var batch = AnnouncementBatch()
            let notes = (0..<count).map { number in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) } }
            for note in notes { batch.add(note) }
            let texts = batch.take()
            #expect(texts.flatMap(AnnouncementBatch.read) == notes.map { .note($0) })
            #expect(texts.allSatisfy { $0.utf8.count <= AnnouncementBatch.longest })
            // As few as there can be: no two neighbours would have fitted into one.
            let oneMore = 1 + (length + 2) / 3 * 4
            #expect(texts.dropLast().allSatisfy { $0.utf8.count + oneMore > AnnouncementBatch.longest })
            #expect(batch.take().isEmpty)
        }
    }

    @Test("More than may wait, or one that is too long, is a gap in place of all, and what comes then follows it")
    func tooMuch() {
        var batch = AnnouncementBatch(most: 2)
        for number in 1...3 as ClosedRange<UInt8> { batch.add([number]) }
        batch.add([4])
        #expect(batch.take().flatMap(AnnouncementBatch.read) == [.gap, .note([4])])
        batch.add([5])
        batch.add([UInt8](repeating: 1, count: 5_926))
        #expect(batch.take().flatMap(AnnouncementBatch.read) == [.gap])
        #expect(batch.take().isEmpty)
    }

    @Test("A text that somebody else said is no note, or one that its listener does not know; it ends nothing")
    func strange() {
        #expect(AnnouncementBatch.read("") == [.gap])
        #expect(AnnouncementBatch.read("!") == [])
        #expect(AnnouncementBatch.read("a.AQ==.é") == [.note([1])])
        #expect(AnnouncementBatch.read("...") == [])
    }
}
