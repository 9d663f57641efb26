import Foundation

/// What somebody typed. All of it can be typed by everybody: the menu shows what makes sense, and the API decides.
enum Command: Equatable {
    struct NotUnderstood: Error, Equatable { let usage: String }

    case logIn, me, list, approvals, renew, revoke, logOut, quit
    case add(NewEntry)
    case approve(Int64)

    /// - Returns: nil for an empty line.
    /// - Throws: ``NotUnderstood``.
    init?(_ line: String) throws(NotUnderstood) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        guard let first = words.first else { return nil }
        switch (first, words.count) {
        case ("login", 1): self = .logIn
        case ("me", 1): self = .me
        case ("list", 1): self = .list
        case ("approvals", 1): self = .approvals
        case ("renew", 1): self = .renew
        case ("revoke", 1): self = .revoke
        case ("logout", 1): self = .logOut
        case ("quit", 1): self = .quit
        case ("add", 4):
            guard let hours = Double(words[2]), hours.isFinite else { throw NotUnderstood(usage: Menu.add) }
            // Another for every line that is typed; `Outbox` has that of an entry that was not answered.
            self = .add(NewEntry(reference: UUID().uuidString, date: words[1], project: words[3], hours: hours))
        case ("add", _): throw NotUnderstood(usage: Menu.add)
        case ("approve", 2):
            // As a list shows it, too.
            guard let id = Int64(words[1].drop { $0 == "#" }) else { throw NotUnderstood(usage: Menu.approve) }
            self = .approve(id)
        case ("approve", _): throw NotUnderstood(usage: Menu.approve)
        default: throw NotUnderstood(usage: "a line of the menu")
        }
    }
}
