/// That the rows of a database are in another one since a move: a comment on the table of its steps, with that one's URL. No row says it, so that a move
/// changes none.
extension PostgreSQLDatabase {
    /// - Throws: ``SQLError``; ``SQLError/notAllowed(path:reason:)`` where the table is another role's.
    func noteMoved(to target: String) async throws {
        let text = (Self.movedWords + target).map { $0 == "'" ? "''" : $0 == "\\" ? "\\\\" : "\($0)" }.joined()
        try await transaction { connection, _ -> Void in
            // Whatever the server takes a backslash for.
            try connection.execute("COMMENT ON TABLE schema_version IS E'\(text)'")
        }
    }

    /// Of a database that takes the rows of a move itself, or has them already.
    /// - Throws: ``SQLError``.
    func forgetMoved() async throws {
        let comment = try await read { try $0.one(Self.movedQuestion)?.optionalText("comment") }
        guard Self.target(in: comment) != nil else { return }
        try await transaction { connection, _ -> Void in try connection.execute("COMMENT ON TABLE schema_version IS NULL") }
    }

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
