import Hummingbird

/// An entry as somebody sent it. Nothing of it was looked at but the types.
struct UncheckedEntry: Decodable, Sendable {
    /// By which whoever sends it knows it: sent twice under one reference, it is there once.
    let reference: String
    let date: String
    let project: String
    let hours: Double
}

/// What is worth keeping of it. Whose it is says the caller, and no body.
struct EntryDraft: Hashable, Sendable {
    static let longestReference = 64
    static let longestProject = 100

    let reference: String
    let day: Day
    let project: String
    /// Quarters of an hour: whole numbers, which add up.
    let quarters: Int

    /// - Parameter row: of an upload, counted from 1.
    /// - Throws: ``Fault/entry(field:_:row:)``.
    init(_ unchecked: UncheckedEntry, row: Int? = nil) throws(Fault) {
        try plain(unchecked.reference, "reference", longest: Self.longestReference, row)
        guard let day = Day(unchecked.date) else { throw .entry(field: "date", .notADay, row: row) }
        try plain(unchecked.project, "project", longest: Self.longestProject, row)
        guard unchecked.hours > 0, unchecked.hours <= 24 else { throw .entry(field: "hours", .outOfRange, row: row) }
        guard let quarters = Int(exactly: unchecked.hours * 4) else { throw .entry(field: "hours", .notInQuarters, row: row) }
        reference = unchecked.reference
        self.day = day
        project = unchecked.project
        self.quarters = quarters
    }
}

/// A text that a person can read on one line. Its length is that of its scalars: a character may have any number of them.
func plain(_ text: String, _ field: String, longest: Int, _ row: Int?) throws(Fault) {
    guard text.unicodeScalars.contains(where: \.hasInk) else { throw .entry(field: field, .empty, row: row) }
    guard text.unicodeScalars.count <= longest else { throw .entry(field: field, .tooLong, row: row) }
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
    guard isPlain else { throw .entry(field: field, .notPlain, row: row) }
}

extension Unicode.Scalar {
    /// Whether something is seen of it that stands by itself: a filler and an empty Braille cell are no white space, and nobody sees them either.
    fileprivate var hasInk: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: false
        default: !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && self != "\u{2800}"
        }
    }
}

/// An entry as it is kept and told.
struct Entry: ResponseEncodable, Hashable, Sendable {
    let id: Int64
    /// `sub` of the person who worked.
    let employee: String
    let date: String
    let project: String
    let hours: Double
    /// `sub` of the manager; not there until somebody approved.
    let approvedBy: String?
}

/// A part of a list, the oldest first.
struct EntryPage: ResponseEncodable, Sendable {
    /// As many as are told at once.
    static let most = 100

    let entries: [Entry]
    /// To be asked for as `after`; not there where there are no more.
    let next: Int64?

    /// - Parameter found: up to one more than are told.
    init(_ found: [Entry]) {
        entries = Array(found.prefix(Self.most))
        next = found.count > Self.most ? entries.last?.id : nil
    }
}
