/// A check whose last answer holds for some seconds, so that whoever asks often costs nothing. Those who ask at once share one run.
package actor CachedCheck: ReadinessCheck {
    package nonisolated let name: String
    package nonisolated let behind: String?
    private let body: @Sendable () async throws -> Void
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let lasts: Duration
    private let failureLasts: Duration
    private var last: (at: ContinuousClock.Instant, result: Result<Void, any Error>)?
    private var run: Task<Result<Void, any Error>, Never>?

    /// - Parameters:
    ///   - lasts: how long a good answer holds; a bad one holds for less, so that what was mended is soon told.
    ///   - clock: one that never goes back.
    package init(
        _ name: String, behind: String? = nil, lasts: Duration = .seconds(5), failureLasts: Duration = .seconds(2),
        clock: @Sendable @escaping () -> ContinuousClock.Instant = { .now }, _ body: @Sendable @escaping () async throws -> Void
    ) {
        self.name = name
        self.behind = behind
        self.lasts = lasts
        self.failureLasts = failureLasts
        self.clock = clock
        self.body = body
    }

    package func check() async throws { try await result().get() }

    package func look() async throws {
        last = nil
        try await check()
    }

    private func result() async -> Result<Void, any Error> {
        if let last, clock() < last.at + time(of: last.result) { return last.result }
        if let run { return await run.value }
        let run = Task { [body] in
            do { return Result<Void, any Error>.success(try await body()) } catch { return .failure(error) }
        }
        self.run = run
        let result = await run.value
        (self.run, last) = (nil, (clock(), result))
        return result
    }

    private func time(of result: Result<Void, any Error>) -> Duration {
        switch result {
        case .success: lasts
        case .failure: failureLasts
        }
    }
}
