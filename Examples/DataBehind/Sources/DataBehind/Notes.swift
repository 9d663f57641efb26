import Foundation

/// The notes of each account, and which calls there were: one that comes again is answered as it was, and adds nothing.
actor Notes {
    /// Calls that are remembered: 150 in a second for ten minutes.
    private static let mostCalls = 100_000
    /// An answer that is longer would not be handed on (docs/data-service.md).
    private static let longestAnswer = 65_000

    private var notes: [String: [String]] = [:]
    /// How many notes the answer to a call had: none is ever taken away, so that these were the first ones. The answers themselves would be many times all notes.
    private var counts: [String: Int] = [:]
    /// Of the calls, in turn; the oldest gives its place.
    private var names: [String] = []
    private var oldest = 0

    struct Full: Error {}

    /// - Throws: ``Full``, where the notes would be more than an answer can have: then nobody could read them any more.
    func answer(_ request: NoteRequest, of question: Question) throws -> Data {
        let account = "\(question.serverid) \(question.accountid)"
        let name = "\(account) \(question.requestid)"
        var mine = notes[account, default: []]
        if let count = counts[name] { return try JSONEncoder().encode(Array(mine.prefix(count))) }
        if let note = request.add { mine.append(note) }
        let answer = try JSONEncoder().encode(mine)
        guard answer.count <= Self.longestAnswer else { throw Full() }
        notes[account] = mine
        remember(name, mine.count)
        return answer
    }

    private func remember(_ name: String, _ count: Int) {
        if names.count < Self.mostCalls {
            names.append(name)
        } else {
            counts[names[oldest]] = nil
            names[oldest] = name
            oldest = (oldest + 1) % Self.mostCalls
        }
        counts[name] = count
    }
}
