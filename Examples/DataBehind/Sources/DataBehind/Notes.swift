import Foundation

/// The notes of each account, and the answers that were given: a call that comes again is answered as it was, and adds nothing.
actor Notes {
    /// Answers that are remembered: an authentication server asks again within minutes, if at all.
    private static let mostAnswers = 10_000
    private static let mostNotes = 100

    private var notes: [String: [String]] = [:]
    private var answers: [String: Data] = [:]
    /// In turn, the oldest first.
    private var names: [String] = []

    struct Full: Error {}

    /// - Throws: ``Full``.
    func answer(_ request: NoteRequest, of question: Question) throws -> Data {
        let account = "\(question.serverid) \(question.accountid)"
        let name = "\(account) \(question.requestid)"
        if let answer = answers[name] { return answer }
        var mine = notes[account, default: []]
        if let note = request.add {
            guard mine.count < Self.mostNotes else { throw Full() }
            mine.append(note)
        }
        let answer = try JSONEncoder().encode(mine)
        notes[account] = mine
        if names.count >= Self.mostAnswers { answers[names.removeFirst()] = nil }
        answers[name] = answer
        names.append(name)
        return answer
    }
}
