/// How long to wait before the next try of something that failed: 1, 2, 4, 8, then 15 seconds each, until `limit` seconds were waited.
struct Backoff {
    private let limit: Double
    private var next = 1.0
    private var waited = 0.0

    init(limit: Double) { self.limit = limit }

    /// Seconds to wait now; nil when it has been long enough.
    /// - Parameter tried: seconds that the last try took, where that counts; else only the waits do.
    mutating func delay(after tried: Double = 0) -> Double? {
        waited += tried
        guard waited < limit else { return nil }
        let delay = min(next, limit - waited)
        waited += delay
        next = min(next * 2, 15)
        return delay
    }
}
