/// An entry as it is sent.
struct NewEntry: Codable, Equatable, Sendable {
    /// Under which the API keeps it once.
    let reference: String
    let date: String
    let project: String
    let hours: Double

    /// Whether it is the same but for its reference.
    func saysTheSame(as other: NewEntry) -> Bool { (date, project, hours) == (other.date, other.project, other.hours) }
}

/// An entry as the API tells it.
struct Entry: Decodable, Sendable {
    let id: Int64
    let employee: String
    let date: String
    let project: String
    let hours: Double
    let approvedBy: String?

    var line: String { "#\(id)  \(date)  \(hours) h  \(project)  \(employee)  \(approvedBy.map { "approved by \($0)" } ?? "not approved yet")" }
}

/// A part of a list.
struct EntryPage: Decodable, Sendable {
    let entries: [Entry]
    /// Behind which entry the list goes on; nil at its end.
    let next: Int64?
}

/// What the API says to what it does not do.
struct APIRefusal: Error, Decodable {
    var status = 0
    let error: String?
    let description: String?
    let field: String?

    enum CodingKeys: String, CodingKey {
        case error, field
        case description = "error_description"
    }

    /// Whether the same may be taken later.
    var mayPass: Bool { status == 429 || status >= 500 }

    var sentence: String {
        let words = "\(status) \([error, description].compactMap { $0 }.joined(separator: ", "))"
        return mayPass ? "The API cannot do that now. Try the same again later. (\(words))" : "The API says no: \(words)"
    }
}
