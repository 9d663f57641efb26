/// By what a session of ours is known: a word that it sets at its beginning, and that nobody else has. A pooler that hands connections on between transactions
/// gives back a few settings to whom they belong, and this is none of them: there another word is found, or none.
enum LinkMark {
    /// One of those that PostgreSQL keeps for whoever thinks up a name with a dot.
    static let setting = "ostiary.link"

    /// Of a question to a session.
    static let column = "current_setting('\(setting)', true) AS mark"
    static let question = "SELECT \(column)"

    /// Letters and digits, as a name may have them that stands in no quotes behind a letter.
    static func fresh() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 36) }

    /// What an operator is told, as one line that is short: of several hosts each has one.
    static let handedOn = """
        a pooler hands connections on between transactions: have it keep each for a session (PgBouncer: pool_mode = session, with room for all nodes' \
        connections), or name PostgreSQL itself in the URL
        """
}
