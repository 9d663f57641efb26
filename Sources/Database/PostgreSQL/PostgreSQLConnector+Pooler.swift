/// Whether a pooler between hands connections on between transactions. Prepared statements, settings and LISTEN belong to a session: behind such a one they are
/// somebody else's, or nobody's (docs/decisions/0047).
extension PostgreSQLConnector {
    /// Whether a connection is good as far as poolers go. Where it is its turn to look, it makes a second one beside one that goes through a pooler, and looks
    /// whether each has its own mark still. One that leads straight to PostgreSQL has the number of its process, and there is nothing to look for.
    /// - Returns: false where it was made before the doubt of now, so that another is to be made.
    /// - Throws: ``PostgreSQLLink/Loss``.
    func isKept(_ link: PostgreSQLLink, in turn: PoolingDoubt.Turn, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> Bool {
        pooling.note(isPoolerBetween: link.isBehindPooler)
        guard link.isBehindPooler else { return true }
        switch turn {
        case .straight: return false
        case .free(let generation): return pooling.isOf(generation)
        case .look(let look):
            guard let second = try? settled(to: link.host, by: deadline.share(of: 2)) else {
                pooling.end(look, .noRoom)
                return pooling.isOf(look.generation)
            }
            for each in [link, second] {
                each.silence = Int(deadline.left)
                do throws(PostgreSQLLink.Loss) { try checkMark(of: each) } catch {
                    if error.reason == LinkMark.handedOn { pooling.end(look, .handedOn) }
                    throw error
                }
            }
            return pooling.settle(look.generation)
        }
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
