import CLibPQ

/// What a server says without being asked.
extension PostgreSQLLink {
    /// What was announced on the channels to which this connection listens, as far as it has come.
    func takeNotices() -> [String] {
        var texts: [String] = []
        while let notice = PQnotifies(connection) {
            texts.append(notice.pointee.extra.map { String(cString: $0) } ?? "")
            PQfreemem(notice)
        }
        return texts
    }

    /// Waits until something comes, or the alarm rings.
    /// - Returns: false when the time was over before.
    /// - Throws: ``Loss``.
    func waitForNews(or alarm: Alarm, milliseconds: Int) throws(Loss) -> Bool {
        let (comes, rang) = alarm.wait(or: PQsocket(connection), milliseconds: Int32(clamping: milliseconds))
        if comes { guard PQconsumeInput(connection) == 1 else { throw Loss(reason: "the connection was closed") } }
        return comes || rang
    }
}
