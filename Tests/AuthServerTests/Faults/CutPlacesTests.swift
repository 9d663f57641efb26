import OstiaryTesting
import Testing

@Suite("Which bytes of a connection are cut")
struct CutPlacesTests {
    private func places(_ bytes: String, of length: Int) throws -> [Int] {
        var draw = SplitMix(seed: 1)
        return try CutPlaces(["OSTIARY_CUT_BYTES": bytes]).places(of: length, &draw)
    }

    @Test("A number draws so many of all that there are, and takes all where there are no more; without one it is six")
    func drawn() throws {
        let drawn = try places("300", of: 1_000)
        #expect(drawn.count == 300 && drawn.allSatisfy { (0..<1_000).contains($0) } && drawn.contains { $0 > 500 })
        #expect(try places("300", of: 20) == Array(0..<20))
        #expect(try places("all", of: 20) == Array(0..<20))
        #expect(try CutPlaces([:]).choice == .drawn(6))
    }

    @Test("All shards together are all bytes, each once, also where a login is longer in one sitting than in another")
    func shards() throws {
        for count in [1, 7, 12] {
            let sittings = try (1...count).map { try places("\($0)/\(count)", of: 100) }
            #expect(sittings.flatMap(\.self).sorted() == Array(0..<100))
            let longer = try (1...count).map { try places("\($0)/\(count)", of: $0 == 1 ? 100 : 105) }.flatMap(\.self)
            #expect(longer.filter { $0 < 100 }.sorted() == Array(0..<100) && Set(longer).count == longer.count)
        }
    }

    @Test("Ranges that follow each other are all bytes, the last of them up to the end; one behind the end is none")
    func ranges() throws {
        let (first, rest) = (try places("0...9", of: 25), try places("10...99999", of: 25))
        #expect(first + rest == Array(0..<25))
        #expect(try places("7...7", of: 25) == [7])
        #expect(try places("25...30", of: 25).isEmpty)
    }

    @Test(
        "What means nothing is refused, and not taken for the usual six",
        arguments: ["", "0", "-6", "+6", "six", "6 ", "ALL", "5...2", "5..9", "...9", "5...", "1...2...3", "0/4", "5/4", "1/0", "/4", "1/", "1/2/3"])
    func nonsense(_ text: String) {
        #expect(throws: CutPlaces.Nonsense.self) { try CutPlaces(["OSTIARY_CUT_BYTES": text]) }
    }

    @Test("One of the four ways may be named, and no other word")
    func ways() throws {
        for way in CutPlaces.ways {
            let asked = try CutPlaces(["OSTIARY_CUT_WAY": way])
            #expect(CutPlaces.ways.filter { asked.takes($0) } == [way])
        }
        let usual = try CutPlaces([:])
        #expect(CutPlaces.ways.allSatisfy { usual.takes($0) })
        #expect(throws: CutPlaces.Nonsense.self) { try CutPlaces(["OSTIARY_CUT_WAY": "heard"]) }
    }

    @Test("Whoever draws few is ended as a hang after an hour; whoever asks for more, for a range or for a shard is not")
    func patience() throws {
        for bytes in ["6", "300", "1000"] { #expect(try CutPlaces(["OSTIARY_CUT_BYTES": bytes]).patience == 60) }
        for bytes in ["1001", "all", "0...9999", "1/12"] { #expect(try CutPlaces(["OSTIARY_CUT_BYTES": bytes]).patience > 24 * 60) }
    }
}
