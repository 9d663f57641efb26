/// Whether a pooler between hands connections on between transactions. Prepared statements, settings and LISTEN belong to a session: behind such a one they are
/// somebody else's, or nobody's (docs/decisions/0047).
extension PostgreSQLConnector {
    /// Makes a second connection beside one that goes through a pooler, and looks whether each has its own mark still. One that leads straight to PostgreSQL has
    /// the number of its process, and there is nothing to look for.
    /// - Throws: ``PostgreSQLLink/Loss``.
    func checkKeeps(_ link: PostgreSQLLink, by deadline: Deadline) throws(PostgreSQLLink.Loss) {
        guard link.isBehindPooler, pooling.isHeld else { return }
        // Where there is no room for it nothing is shown: what readiness asks shows it.
        guard let second = try? settled(to: link.host, by: deadline.share(of: 2)) else { return }
        for each in [link, second] {
            each.silence = Int(deadline.left)
            try checkMark(of: each)
        }
        pooling.settle()
    }

    /// - Throws: ``PostgreSQLLink/Loss`` where the session is not the one that the connection began.
    func checkMark(of link: PostgreSQLLink) throws(PostgreSQLLink.Loss) {
        let answer = try link.exchange([.once(LinkMark.question)]).first
        if let fault = answer?.fault, !fault.showsPooler { throw PostgreSQLLink.Loss(reason: "its mark cannot be read (\(fault.message))") }
        let found = answer.flatMap { answer in try? answer.rows(answer.columns).first?.optionalText("mark") }
        guard found == link.mark else {
            pooling.doubt()
            throw PostgreSQLLink.Loss(reason: LinkMark.handedOn)
        }
    }
}
