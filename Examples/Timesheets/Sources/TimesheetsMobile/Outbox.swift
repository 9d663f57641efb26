import Foundation

/// Entries that were sent and not answered: the API may have them or not. Whoever types one again sends the same one, under the reference that it had, so that it is
/// there once. In a file of the app's home, because a process can end before an answer comes; a logout takes it away.
struct Outbox {
    private let file: URL

    init(home: String) { file = URL(filePath: home, directoryHint: .isDirectory).appending(path: "unanswered.json") }

    /// Before it is sent.
    /// - Returns: what to send: the entry, or the one that says the same and was not answered.
    func leave(_ entry: NewEntry) throws -> NewEntry {
        let entries = unanswered
        if let former = entries.first(where: { $0.saysTheSame(as: entry) }) { return former }
        try keep(entries + [entry])
        return entry
    }

    /// Somebody has said what became of it.
    func answered(_ entry: NewEntry) throws { try keep(unanswered.filter { $0 != entry }) }

    func empty() { try? FileManager.default.removeItem(at: file) }

    private var unanswered: [NewEntry] {
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([NewEntry].self, from: data)) ?? []
    }

    private func keep(_ entries: [NewEntry]) throws {
        try JSONEncoder().encode(entries).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
