import Testing

@testable import Database

@Suite("Compiled statements that are found again")
struct StatementTextTests {
    @Test("Two texts of one length with one end are two statements, and the same text is one, however it was made")
    func told() async throws {
        let texts = ["SELECT 1 AS number_of_this_statement", "SELECT 2 AS number_of_this_statement"]
        #expect(StatementText(texts[0]) != StatementText(texts[1]))
        #expect(StatementText(texts[0]) == StatementText(String(decoding: Array(texts[0].utf8), as: UTF8.self)))
        #expect(Set(texts.map(StatementText.init) + [StatementText("SELECT \(1) AS number_of_this_statement")]).count == 2)
        let database = try SQLiteDatabase.inMemory()
        for _ in 0..<2 {
            for (offset, text) in texts.enumerated() {
                let found = try await database.read { try $0.one(text)?.integer("number_of_this_statement") }
                #expect(found == Int64(offset + 1))
            }
        }
        try await database.close()
    }
}
