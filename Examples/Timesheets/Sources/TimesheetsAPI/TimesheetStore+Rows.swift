import GRDB

/// Statements inside of a transaction.
extension Database {
    /// - Parameter number: of the row in its upload, for who is told of a fault.
    /// - Returns: false where the same author sent the same entry before.
    func add(_ row: EntryUpload.Row, by author: String, number: Int?) throws -> Bool {
        let draft = row.draft
        if let known = try entry(draft.reference, by: author) {
            guard known.isSame(as: row) else { throw Fault.referenceTaken(row: number) }
            return false
        }
        let worked = try Int.fetchOne(
            self, sql: "SELECT COALESCE(SUM(quarters), 0) FROM entry WHERE employee = ? AND date = ?", arguments: [row.employee, draft.day.text])
        guard (worked ?? 0) + draft.quarters <= 24 * 4 else { throw Fault.dayFull(row: number) }
        try execute(
            sql: "INSERT INTO entry (employee, date, project, quarters, author, reference) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [row.employee, draft.day.text, draft.project, draft.quarters, author, draft.reference])
        return true
    }

    func entry(_ reference: String, by author: String) throws -> Entry? {
        try Row.fetchAll(self, sql: "SELECT * FROM entry WHERE author = ? AND reference = ?", arguments: [author, reference]).first.map(Entry.init)
    }
}

extension Entry {
    init(_ row: Row) {
        let quarters: Int = row["quarters"]
        self.init(
            id: row["id"], employee: row["employee"], date: row["date"], project: row["project"], hours: Double(quarters) / 4,
            approvedBy: row["approvedBy"])
    }

    init(_ entry: Entry, approvedBy manager: String) {
        self.init(
            id: entry.id, employee: entry.employee, date: entry.date, project: entry.project, hours: entry.hours, approvedBy: manager)
    }

    /// Whether it is what this row says.
    func isSame(as row: EntryUpload.Row) -> Bool {
        employee.isSame(as: row.employee) && date == row.draft.day.text && project.isSame(as: row.draft.project)
            && hours * 4 == Double(row.draft.quarters)
    }
}

extension String {
    /// To the byte, as the database compares: `==` takes two spellings of one character for the same.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
