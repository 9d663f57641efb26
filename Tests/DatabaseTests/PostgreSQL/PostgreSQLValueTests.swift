import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: values on the wire")
struct PostgreSQLValueTests {
    private func number(_ words: [UInt16]) -> Int64? {
        words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }.withUnsafeBytes { PostgreSQLNumeric($0)?.whole }
    }

    @Test("A sum without a bound is a number where it is whole and fits")
    func numeric() {
        // Digits, place of the first, sign, shown digits, then the digits.
        #expect(number([0, 0, 0, 0]) == 0)
        #expect(number([1, 0, 0, 0, 7]) == 7)
        #expect(number([1, 2, 0x4000, 0, 3]) == -300_000_000)
        #expect(number([2, 1, 0, 0, 1, 2345]) == 12_345)
        #expect(number([5, 4, 0, 0, 922, 3372, 368, 5477, 5807]) == Int64.max)
        #expect(number([5, 4, 0x4000, 0, 922, 3372, 368, 5477, 5808]) == Int64.min)
        #expect(number([5, 4, 0, 0, 922, 3372, 368, 5477, 5808]) == nil)
        #expect(number([5, 5, 0, 0, 1, 0, 0, 0, 0]) == nil)
        #expect(number([2, 0, 0, 1, 7, 5000]) == nil)
        #expect(number([1, 0xFFFF, 0, 1, 5000]) == nil)
        #expect(number([0, 0, 0xC000, 0]) == nil)
        #expect(number([2, 0, 0, 0, 1]) == nil)
        #expect(number([1, 0]) == nil)
    }

    @Test(
        "Text with a null character, or with the one that stands for it, comes back as it went in, and holds none on the way",
        arguments: ["", "a", "\0", "\0\0", "a\0b", "\u{FFFE}", "\u{FFFE}0", "\u{FFFE}1\0", "ÿ\u{FFFD}\u{FFFF}\0é", "\u{FFFE}\u{FFFE}"])
    func nullCharacters(text: String) {
        let hidden = NullCharacters.hidden(in: text)
        #expect(!hidden.contains(0))
        #expect(hidden.withUnsafeBytes { NullCharacters.shown(in: $0) } == text)
    }

    @Test("What others wrote with the character that stands for a null is left as it is")
    func foreignMark() {
        #expect(Array("a\u{FFFE}b\u{FFFE}".utf8).withUnsafeBytes { NullCharacters.shown(in: $0) } == "a\u{FFFE}b\u{FFFE}")
    }

    @Test("Statements say how many arguments they take; quoted text and comments say nothing")
    func parameters() {
        #expect(SQLText("SELECT 1").parameterCount == 0)
        #expect(SQLText("SELECT $2, $1, $2").parameterCount == 2)
        #expect(SQLText("SELECT '$3', \"$4\", $1 -- $5\n, $2").parameterCount == 2)
        #expect(SQLText("SELECT $12").parameterCount == 12)
        #expect(SQLText("SELECT $ 1, $a").parameterCount == 0)
    }

    @Test("A server that would lose or confuse what it is given is refused, in a line that says what to do")
    func standing() throws {
        func objection(_ changes: [String: SQLValue]) throws -> String? {
            let usual: [(String, SQLValue)] = [
                ("version", .integer(150_018)), ("commits", .text("on")), ("fsync", .text("on")), ("pages", .text("on")),
                ("encoding", .text("UTF8")), ("collation", .text("C")), ("schema", .text("public")), ("follows", .integer(0)),
                ("reads_only", .text("off")), ("closed_schema", .null),
            ]
            let row = SQLRow(columns: SQLColumns(names: usual.map(\.0)), values: usual.map { changes[$0.0] ?? $0.1 })
            return try #require(ServerStanding(row)).objection(to: "ostiary")?.words
        }
        #expect(try objection([:]) == nil)
        #expect(try objection(["commits": .text("remote_apply"), "version": .integer(170_002)]) == nil)
        for (column, value, words) in [
            ("version", SQLValue.integer(140_011), "PostgreSQL 14"), ("commits", .text("off"), "synchronous_commit is off"),
            ("commits", .text("local"), "synchronous_commit is local"), ("fsync", .text("off"), "fsync is off"),
            ("pages", .text("off"), "full_page_writes is off"), ("encoding", .text("LATIN1"), "TEMPLATE template0"),
            ("collation", .text("en_US.utf8"), "LC_COLLATE 'C'"), ("schema", .null, "no schema"), ("follows", .integer(1), "a standby"),
            ("reads_only", .text("on"), "default_transaction_read_only"),
        ] {
            #expect(try objection([column: value])?.contains(words) == true)
        }
        let closed = try objection(["schema": .null, "closed_schema": .text("ours")])
        #expect(closed == "this user lacks USAGE on the schema ours: grant it, if this is the right database")
    }
}
