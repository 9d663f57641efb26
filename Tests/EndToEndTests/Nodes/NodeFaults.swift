import OstiaryTesting

/// What happens to the nodes of a run, and when: drawn from a seed, so that the same seed does the same again.
struct NodeFaults: Equatable {
    enum Fault: CaseIterable, Equatable {
        /// Between the balancer and a node.
        case cutFromClients, silentToClients
        /// Between a node and the database.
        case cutFromDatabase, silentToDatabase
        /// SIGKILL, and a start afterwards.
        case killed
        /// SIGSTOP and SIGCONT: a node that believes that no time went by.
        case paused
        /// Likewise of the second-factor server.
        case secondFactorKilled, secondFactorPaused
    }

    struct Event: Equatable {
        let fault: Fault
        /// Of the three; the second-factor server's have none.
        let node: Int
        let begins: Duration
        let ends: Duration
    }

    let events: [Event]

    /// One fault at a time, as the nodes must answer for what one of them does; and between two a while in which all is well.
    /// - Parameters:
    ///   - length: of the run; the last fault is over before it is.
    ///   - longest: that one lasts.
    init(seed: UInt64, length: Duration, longest: Duration = .seconds(4)) {
        var random = SplitMix(seed: seed)
        var events: [Event] = []
        var time = Duration.seconds(2)
        // Each once in an order of the seed's, then again in another: a short run too meets different ones.
        var left: [Fault] = []
        while true {
            if left.isEmpty { left = Fault.allCases.shuffled(using: &random) }
            let lasts = Duration.milliseconds(Int.random(in: 300...Int(longest / .milliseconds(1)), using: &random))
            let event = Event(fault: left.removeLast(), node: Int.random(in: 0..<3, using: &random), begins: time, ends: time + lasts)
            guard event.ends + .seconds(2) <= length else { break }
            events.append(event)
            time = event.ends + .milliseconds(Int.random(in: 500...2_000, using: &random))
        }
        self.events = events
    }
}
