import Hummingbird

/// What another system sends of many people at once. All of it is kept, or nothing.
struct EntryUpload: Sendable {
    static let mostRows = 1_000
    static let longestEmployee = 100

    struct Unchecked: Decodable, Sendable {
        struct Row: Decodable, Sendable {
            let employee: String
            let entry: UncheckedEntry

            enum CodingKeys: CodingKey { case employee }

            init(from decoder: any Decoder) throws {
                employee = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .employee)
                entry = try UncheckedEntry(from: decoder)
            }
        }

        let entries: [Row]
    }

    struct Row: Hashable, Sendable {
        let employee: String
        let draft: EntryDraft
    }

    let rows: [Row]

    /// - Throws: ``Fault/rowCount``, ``Fault/entry(field:_:row:)``.
    init(_ unchecked: Unchecked) throws(Fault) {
        guard (1...Self.mostRows).contains(unchecked.entries.count) else { throw .rowCount }
        var rows: [Row] = []
        for (index, row) in unchecked.entries.enumerated() {
            try plain(row.employee, "employee", longest: Self.longestEmployee, index + 1)
            rows.append(Row(employee: row.employee, draft: try EntryDraft(row.entry, row: index + 1)))
        }
        self.rows = rows
    }
}

/// What became of an upload.
struct UploadOutcome: ResponseEncodable, Hashable, Sendable {
    /// How many entries are there that were not.
    let added: Int
    /// How many were there already, sent before by the same caller.
    let known: Int
}
