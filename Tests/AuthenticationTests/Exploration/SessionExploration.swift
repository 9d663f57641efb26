import Authentication
import OstiaryProtocol

/// Walks through every order of events of one session and looks at what anybody could see on the way.
struct SessionExploration {
    typealias Step = (Session, SessionEvent, Instant) throws -> Session

    /// A promise of the machine, with the name of the test that would notice its breach.
    enum Breach: String, CaseIterable {
        case wentBack, changedHands, loggedInUnclaimed, revived, outlivedItsDeadline, stopUndone, stalePingCounted, movedByReport, reportOutlived
        /// Of a session with a page: somebody was logged in without the browser's coming back, or it was awaited for too long.
        case loggedInUnreturned, awaitedTooLong
    }

    /// What is explored: the stored session, the time, and what has been seen.
    private struct Node: Hashable {
        var state: SessionState
        var report: PhoneReport?
        var now: UInt64
        var holder: AccountID?
        var isEnded: Bool
    }

    static let patience: UInt64 = 150
    private static let tick: UInt64 = 80
    private static let start: UInt64 = 1_000
    private static let accounts = [AccountID([UInt8](repeating: 1, count: 16))!, AccountID([UInt8](repeating: 2, count: 16))!]

    let step: Step
    /// The page of the session that is explored.
    var page: SessionPage?

    /// All breaches within `depth` events, and how many different situations there were.
    func run(depth: Int) -> (breaches: Set<Breach>, situations: Int) {
        let first = Node(state: .open, now: Self.start, holder: nil, isEnded: false)
        var seen: Set<Node> = [first]
        var frontier = [first]
        var breaches: Set<Breach> = []
        for _ in 0..<depth {
            var next: [Node] = []
            for node in frontier {
                for (after, found) in successors(of: node) {
                    breaches.formUnion(found)
                    if seen.insert(after).inserted { next.append(after) }
                }
            }
            frontier = next
        }
        return (breaches, seen.count)
    }

    private func session(_ node: Node) -> Session {
        var session = Session(
            id: SessionID([UInt8](repeating: 9, count: 16))!, server: ServerID([UInt8](repeating: 8, count: 16))!, nonceHash: [1], stream: nil,
            purpose: .login, startedAt: Instant(Self.start), page: page, state: node.state)
        session.report = node.report
        return session
    }

    private func events(at now: Instant) -> [SessionEvent] {
        Self.accounts.flatMap { account -> [SessionEvent] in
            let login = Login(
                account: account, binding: .qrDynamic, at: now, methods: .pin, verifiedAt: now, decision: [], deadline: now + Self.patience,
                lastPing: now, lastStamp: now)
            let byCode = Login(
                account: account, binding: nil, isOffline: true, at: now, methods: [], verifiedAt: now, decision: [], deadline: now + Self.patience,
                lastPing: now, lastStamp: Instant(0))
            return [
                .claim(account, .qrDynamic), .logIn(login), .approve(login, codeHash: [1]), .typeCode(byCode, codeHash: [2]),
                .deny(.init(account: account, notMe: false, decision: [])),
                .report(account, PhoneReport(state: .gaveUp)), .report(account, PhoneReport(state: .penalised, until: now + 100)),
            ]
        } + [
            .comeBack(patience: Self.patience), .ping(stamp: now, patience: Self.patience), .ping(stamp: now - 400, patience: Self.patience),
            .stop(.server),
        ]
    }

    private func successors(of node: Node) -> [(Node, Set<Breach>)] {
        let now = Instant(node.now)
        let before = session(node)
        var later = node
        later.now += Self.tick
        later.isEnded = before.settled(at: Instant(later.now)).isFinished || node.isEnded
        var found: [(Node, Set<Breach>)] = [(later, judge(node, before, before, nil, at: Instant(later.now)))]
        for event in events(at: now) {
            guard let after = try? step(before, event, now) else { continue }
            var next = node
            next.state = after.state
            next.report = after.report
            next.holder = node.holder ?? after.account
            next.isEnded = node.isEnded || after.settled(at: now).isFinished
            found.append((next, judge(node, before, after, event, at: now)))
        }
        return found
    }

    private func judge(_ node: Node, _ before: Session, _ after: Session, _ event: SessionEvent?, at now: Instant) -> Set<Breach> {
        var breaches: Set<Breach> = []
        let (seen, sees) = (before.settled(at: Instant(node.now)), after.settled(at: now))
        if Self.rank(sees.state) < Self.rank(seen.state) { breaches.insert(.wentBack) }
        if let holder = node.holder, let account = sees.account, account != holder { breaches.insert(.changedHands) }
        if sees.approval != nil, seen.approval == nil {
            guard Self.mayDecide(seen.state, event, sees.account) else { return breaches.union([.loggedInUnclaimed]) }
        }
        if page != nil, sees.login != nil, seen.login == nil {
            guard case .returning = seen.state, case .comeBack? = event else { return breaches.union([.loggedInUnreturned]) }
        }
        if case .returning(_, let ticket) = sees.state, now > ticket.until { breaches.insert(.awaitedTooLong) }
        if case .returning(_, let ticket) = sees.state, case .returning(_, let was) = seen.state, ticket != was { breaches.insert(.awaitedTooLong) }
        if node.isEnded, !sees.isFinished { breaches.insert(.revived) }
        if let login = sees.login, now > login.deadline { breaches.insert(.outlivedItsDeadline) }
        if case .report = event, sees.state != seen.state { breaches.insert(.movedByReport) }
        if sees.report != nil, Self.rank(sees.state) > 1 || sees.report?.isOver(at: now) == true { breaches.insert(.reportOutlived) }
        if case .claim = event, sees.report != nil { breaches.insert(.reportOutlived) }
        if case .stop = event, !sees.isFinished { breaches.insert(.stopUndone) }
        if case .ping(let stamp, _) = event, let was = seen.login, let login = sees.login, stamp <= was.lastStamp, login.deadline != was.deadline {
            breaches.insert(.stalePingCounted)
        }
        return breaches
    }

    /// Whoever has claimed it, by a decision or a code; nobody has to have, for a code.
    private static func mayDecide(_ state: SessionState, _ event: SessionEvent?, _ account: AccountID?) -> Bool {
        if case .claimed(let claim) = state { return claim.account == account }
        if case .typeCode? = event { return state == .open }
        return false
    }

    private static func rank(_ state: SessionState) -> Int {
        switch state {
        case .open: 0
        case .claimed: 1
        case .returning: 2
        case .loggedIn: 3
        case .denied, .expired, .stopped: 4
        }
    }
}
