/// One of the two databases of a move.
package struct MoveEnd: Sendable {
    let database: any Database
    /// How an operator names it on the command line.
    let url: String
    /// Which it is, in a sentence.
    let name: String
    /// Whose its file is, in words; nil where it is none, or this process is not root's, whose files a server of another user can't write.
    package let owner: String?
    /// Throws when a server is seen to have it open.
    package let checkAlone: @Sendable () async throws -> Void

    /// What it says of a move that took its rows elsewhere; nil where it says nothing.
    let word: @Sendable () async throws -> MovedWord?
    /// Leaves word that its rows are at a URL now. It changes none of them. Throws where it has the word of another move.
    let noteMoved: @Sendable (_ target: String) async throws -> Void
    /// Takes away such a word of before.
    let forgetMoved: @Sendable () async throws -> Void

    package init(
        _ database: any Database, url: String, name: String, owner: String? = nil, word: @Sendable @escaping () async throws -> MovedWord? = { nil },
        noteMoved: @Sendable @escaping (_ target: String) async throws -> Void = { _ in },
        forgetMoved: @Sendable @escaping () async throws -> Void = {}, checkAlone: @Sendable @escaping () async throws -> Void = {}
    ) {
        (self.database, self.url, self.name, self.owner, self.checkAlone) = (database, url, name, owner, checkAlone)
        (self.word, self.noteMoved, self.forgetMoved) = (word, noteMoved, forgetMoved)
    }

    /// Looks whether a move has taken its rows to another database than that of a URL.
    /// - Returns: the word of a move to this one.
    /// - Throws: ``MoveRefusal/movedAway(_:_:)``, ``SQLError``.
    func checkNotMoved(besides target: String) async throws -> MovedWord? {
        guard let word = try await word() else { return nil }
        guard word.names(target) else { throw MoveRefusal.movedAway(name, word) }
        return word
    }

    /// Works with it for an operator, who is told why it cannot be reached.
    package func tellingWhy<Value>(_ work: () async throws -> Value) async throws -> Value { try await database.tellingWhy(work) }

    package func close() async throws { try await database.close() }
}
