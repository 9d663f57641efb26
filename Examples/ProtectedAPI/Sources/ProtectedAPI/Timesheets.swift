import Hummingbird

/// One line of a timesheet.
struct Entry: ResponseCodable, Sendable {
    let project: String
    let hours: Double

    var isPossible: Bool { hours > 0 && hours <= 24 && !project.isEmpty }
}

/// Everybody's timesheets, in memory.
actor Timesheets {
    private var entries: [String: [Entry]] = [:]

    func entries(of person: String) -> [Entry] { entries[person] ?? [] }
    func add(_ entry: Entry, of person: String) { entries[person, default: []].append(entry) }
    func all() -> [Entry] { entries.values.flatMap { $0 } }
}
