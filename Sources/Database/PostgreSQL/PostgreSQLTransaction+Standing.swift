/// What readiness asks of a connection that is there, since it was asked when that was made and may have changed.
extension PostgreSQLTransaction {
    /// - Throws: ``SQLError/unavailable`` where it may not be used any more: it is given up, and why is noted for an operator.
    func checkStanding() throws {
        guard let row = try one(Self.standingQuestion) else { return }
        guard try row.optionalText("mark") == link.mark else { throw refute(LinkMark.handedOn) }
        if let objection = try ServerDurability(row).objection { throw refute(objection.words) }
        // Of what the others have seen since: the next connection leads to where they are.
        if let objection = try session.timelines.note(ServerTimeline(row)) { throw refute(objection, isAskedAgain: true) }
    }

    private static let standingQuestion = "SELECT \(LinkMark.column), \(ServerDurability.columns), \(ServerTimeline.columns)"
}
