/// Why a request whose caller was let in is not done all the same. The table at the end says what the caller hears.
enum Fault: Error, Hashable {
    /// The body is no JSON, or none of the shape that is asked for.
    case malformed
    /// The body is longer than this route takes.
    case tooLarge
    /// One member of the body is not what it has to be; `row` counts the entries of an upload from 1.
    case entry(field: String, Problem, row: Int?)
    /// An upload without entries, or with more than there may be.
    case rowCount
    /// `after` in the address is no number.
    case page
    /// The same caller used this reference for another entry before.
    case referenceTaken(row: Int?)
    /// The entries of one person for one day would be more than 24 hours.
    case dayFull(row: Int?)
    case unknownEntry
    /// Nobody approves what is their own.
    case ownEntry
    /// Somebody else was first.
    case approvedAlready
    /// Something of this API's own went wrong; its log says what.
    case unforeseen
}

/// What is wrong with one member.
enum Problem: String, Hashable {
    case missing = "is missing"
    case wrongType = "is of another type"
    case empty = "is empty"
    case tooLong = "is too long"
    case notPlain = "has characters that cannot be shown"
    case notADay = "is no day of the form 2026-11-26"
    case outOfRange = "is more than 0 and at most 24"
    case notInQuarters = "is in quarters: 0.25, 0.5, 0.75, 1 and so on"
}

extension Fault {
    /// Status, `error` for programs, and words for developers.
    var answer: (status: Int, error: String, text: String) {
        switch self {
        case .malformed: (400, "invalid_json", "the body is no JSON of the shape that this route takes")
        case .tooLarge: (413, "body_too_large", "the body is longer than this route takes")
        case .entry(let field, let problem, _): (400, "invalid_entry", "\(field) \(problem.rawValue)")
        case .rowCount: (400, "invalid_row_count", "an upload has 1 to \(EntryUpload.mostRows) entries")
        case .page: (400, "invalid_page", "after is the number of an entry")
        case .referenceTaken: (409, "reference_taken", "this reference is that of another entry")
        case .dayFull: (409, "day_full", "a day has 24 hours")
        case .unknownEntry: (404, "unknown_entry", "there is no such entry")
        case .ownEntry: (403, "own_entry", "nobody approves an entry of their own")
        case .approvedAlready: (409, "approved_already", "somebody else approved it before")
        case .unforeseen: (500, "server_error", "that cannot be done now, and nothing of it was kept")
        }
    }

    var field: String? { if case .entry(let field, _, _) = self { field } else { nil } }

    var row: Int? {
        switch self {
        case .entry(_, _, let row), .referenceTaken(let row), .dayFull(let row): row
        default: nil
        }
    }
}
