import OstiaryTesting

/// What happens to the nodes of a run, and when: drawn from a seed, so that the same seed does the same again.
struct NodeFaults: Equatable {
    enum Fault: Equatable, Sendable {
        /// A proxy between the balancer and a node.
        case cutFromClients, silentToClients
        /// A proxy between a node and the database.
        case cutFromDatabase, silentToDatabase
        /// SIGKILL, and a start afterwards.
        case killed
        /// SIGSTOP and SIGCONT: a node that believes that no time went by.
        case paused
        /// Likewise of the second-factor server.
        case secondFactorKilled, secondFactorPaused
        /// SIGKILL of the PostgreSQL on which all of them have their databases, and a start afterwards.
        case databaseKilled
        /// Failover: that PostgreSQL gets a synchronous standby, is killed and stays so, and the standby is promoted. The next one is made of that, in the place of the
        /// first.
        case databaseReplaced
        /// A proxy between the second-factor server and its database.
        case secondFactorCutFromDatabase, secondFactorSilentToDatabase
        /// The kernel loses what a node and somebody send to each other, and tells neither.
        case lost(Peer, Direction)
        /// Likewise the second-factor server, which is the node here, and its database.
        case secondFactorLost(Direction)
        /// A node loses everybody.
        case unplugged
        /// A node's clock is so many seconds wrong, and is put right afterwards.
        case leap(Int)

        static let ofProcesses = [Fault.killed, .paused, .secondFactorKilled, .secondFactorPaused, .databaseKilled]
        static let ofProxies = [
            Fault.cutFromClients, .silentToClients, .cutFromDatabase, .silentToDatabase, .secondFactorCutFromDatabase, .secondFactorSilentToDatabase,
        ]
        static let ofNetworks: [Fault] = Peer.allCases.flatMap { peer in Direction.allCases.map { Fault.lost(peer, $0) } } + ofOtherLines
        private static let ofOtherLines: [Fault] = Direction.allCases.map(Fault.secondFactorLost) + [.unplugged]
        static let ofStandbys = [Fault.databaseReplaced]
        /// A minute, a day, and ten days ahead.
        static let ofClocks = [60, -60, 86_400, -86_400, 864_000].map(Fault.leap)

        /// One that is over before anybody saw it is none: a node does some of its work in the background every two seconds. A standby is made, and followed for
        /// a second, before its server goes.
        fileprivate var shortest: Duration {
            switch self {
            case .leap: .milliseconds(2_500)
            case .databaseReplaced: .seconds(5)
            default: .milliseconds(300)
            }
        }
    }

    /// Whom a node talks with.
    enum Peer: String, CaseIterable, Sendable {
        case clients
        case database
        case secondFactor = "second-factor"
    }

    enum Direction: CaseIterable, Sendable { case toNode, fromNode, both }

    struct Event: Equatable {
        let fault: Fault
        /// Of the three; the second-factor server's and PostgreSQL's have none.
        let node: Int
        let begins: Duration
        let ends: Duration
    }

    let events: [Event]

    /// One fault at a time, as the nodes must answer for what one of them does; and between two a while in which all is well.
    /// - Parameters:
    ///   - length: of the run; the last fault is over before it is.
    ///   - calm: for which all is well at its end.
    ///   - longest: that one lasts, where its sort needs no longer.
    ///   - faults: the sorts that can be made where the run is.
    ///   - pause: for which the first node that is halted stands still, where that is longer.
    init(
        seed: UInt64, length: Duration, calm: Duration = .seconds(2), longest: Duration = .seconds(4), among faults: [Fault], pause: Duration? = nil
    ) {
        var random = SplitMix(seed: seed)
        var events: [Event] = []
        var time = Duration.seconds(2)
        // Each once in an order of the seed's, then again in another: a short run too meets different ones.
        var left: [Fault] = []
        while true {
            if left.isEmpty { left = faults.shuffled(using: &random) }
            let fault = left.removeLast()
            let bounds = Int(fault.shortest / .milliseconds(1))...Int(max(longest, fault.shortest) / .milliseconds(1))
            let drawn = Duration.milliseconds(Int.random(in: bounds, using: &random))
            let isFirstPause = fault == .paused && !events.contains { $0.fault == .paused }
            let lasts = isFirstPause ? max(drawn, pause ?? drawn) : drawn
            let event = Event(fault: fault, node: Int.random(in: 0..<3, using: &random), begins: time, ends: time + lasts)
            guard event.ends + calm <= length else { break }
            events.append(event)
            time = event.ends + .milliseconds(Int.random(in: 500...2_000, using: &random))
        }
        self.events = events
    }
}
