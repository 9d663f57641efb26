/// That the rows of a database are in another one since a move: a comment on the table of its steps, with that one's URL. No row says it, so that a move
/// changes none.
extension PostgreSQLDatabase {
    /// - Throws: ``MoveRefusal/movedAway(_:_:)`` where it says already that they are elsewhere; ``SQLError``; ``SQLError/notAllowed(path:reason:)`` where the
    ///   table is another role's.
    func noteMoved(to target: String) async throws {
        let text = (Self.movedWords + target).map { $0 == "'" ? "''" : $0 == "\\" ? "\\\\" : "\($0)" }.joined()
        let name = "the database \(place)"
        try await transaction { connection, _ -> Void in
            // Of two moves at once, to two targets, the second finds the word of the first. First of all: what is read behind it is of a state without others.
            try connection.execute("LOCK TABLE schema_version IN SHARE UPDATE EXCLUSIVE MODE")
            let word = Self.word(in: try connection.one(Self.movedQuestion)?.optionalText("comment"))
            if let word, !word.names(target) { throw MoveRefusal.movedAway(name, word) }
            // Whatever the server takes a backslash for.
            try connection.execute("COMMENT ON TABLE schema_version IS E'\(text)'")
        }
    }

    /// Of a database that takes the rows of a move itself, or has them already.
    /// - Throws: ``SQLError``.
    func forgetMoved() async throws {
        guard try await movedWord() != nil else { return }
        try await transaction { connection, _ -> Void in try connection.execute("COMMENT ON TABLE schema_version IS NULL") }
    }

    /// What it says of a move that took its rows elsewhere.
    /// - Throws: ``SQLError``.
    func movedWord() async throws -> MovedWord? {
        Self.word(in: try await read { try $0.one(Self.movedQuestion)?.optionalText("comment") })
    }

    private static func word(in comment: String?) -> MovedWord? { target(in: comment).map { MovedWord(target: $0, mark: .comment) } }

    /// Where it was moved to, out of the row of ``movedQuestion``; nil where it was not.
    static func target(in comment: String?) -> String? {
        guard let comment, comment.hasPrefix(movedWords) else { return nil }
        return operatorLine(String(comment.dropFirst(movedWords.count)))
    }

    static let movedQuestion = """
        SELECT obj_description(to_regclass(quote_ident(current_schema()) || '.schema_version')::oid, 'pg_class') AS comment
        """

    private static let movedWords = "ostiary: moved to "
}
