import OstiaryProtocol

/// Something that a provider publishes, fetched when it is due: by one request at a time, however many wait for it.
actor Fetched<Value: Sendable> {
    private let fetch: @Sendable () async throws(Outage) -> Value
    private let now: @Sendable () -> Instant
    private var schedule: FetchSchedule
    private var good: Value?
    /// Why the last fetch brought nothing.
    private var outage = Outage.unreachable
    private var underWay: Task<Void, Never>?

    init(life: UInt64, now: @escaping @Sendable () -> Instant, fetch: @escaping @Sendable () async throws(Outage) -> Value) {
        schedule = FetchSchedule(life: life)
        self.now = now
        self.fetch = fetch
    }

    /// What is there, fetched first where that is due.
    /// - Parameter lacks: whether what the caller wants is missing in it, so that a newer one may have it. It may be missing in what is returned, too.
    func value(lacks: @Sendable (Value) -> Bool = { _ in false }) async throws(Outage) -> Value {
        let moment = now()
        let isWanting = good.map(lacks) ?? true
        if underWay == nil, schedule.shouldFetch(isWanting: isWanting, at: moment) { begin(at: moment) }
        if let underWay, schedule.mustWait(isWanting: isWanting, at: moment) { await underWay.value }
        guard let good, schedule.mayBeUsed(at: now()) else { throw outage }
        return good
    }

    /// A task of its own: that the request which began it goes away ends it for nobody else.
    private func begin(at moment: Instant) {
        schedule.began(at: moment)
        underWay = Task { await run(begunAt: moment) }
    }

    private func run(begunAt moment: Instant) async {
        do throws(Outage) {
            good = try await fetch()
            schedule.ended(success: true, begunAt: moment)
        } catch {
            outage = error
            schedule.ended(success: false, begunAt: moment)
        }
        underWay = nil
    }
}
