import OstiaryProtocol

/// How many wrong numbers an account has left, whoever asks for its person (protocol §6): each client has tries of its own, and many clients would have many.
package struct NumberBudget: Equatable, Sendable {
    /// Wrong numbers of one account in a day: nine of nine hundred.
    package static let most = 9
    /// Seconds. Those of logins that began within them count.
    package static let day: UInt64 = 86_400

    /// How many of them came.
    package let wrong: Int

    package init(wrong: Int) { self.wrong = wrong }

    /// While it is, nothing rings, and no number is looked at.
    package var isSpent: Bool { wrong >= Self.most }

    /// After one more.
    package var less: NumberBudget { NumberBudget(wrong: wrong + 1) }
}

extension SessionRows {
    func numberBudget(of account: AccountID, at now: Instant) throws -> NumberBudget {
        NumberBudget(wrong: try wrongNumbers(of: account, since: now - NumberBudget.day))
    }

    /// What its phone is told of: nothing while its wrong numbers are used up.
    func ringingSessions(of account: AccountID, at now: Instant) throws -> [Session] {
        let waiting = try waitingSessions(of: account, at: now)
        guard !waiting.isEmpty, try !numberBudget(of: account, at: now).isSpent else { return [] }
        return waiting
    }
}

extension [Session] {
    /// In turn: of each client the oldest, before any client's second. One that asks often hides nobody who asks once.
    package var inTurn: [Session] {
        var turns: [String: Int] = [:]
        let numbered = enumerated().map { place, session in
            let client = session.request.client?.clientID ?? ""
            let turn = turns[client, default: 0]
            turns[client] = turn + 1
            return (turn: turn, place: place, session: session)
        }
        return numbered.sorted { ($0.turn, $0.place) < ($1.turn, $1.place) }.map(\.session)
    }
}
