/// The machine's token in one run: fetched when it is first needed, and anew where it is not taken any more. A long file can take longer than a token lives.
actor RunToken {
    private let source: MachineToken
    private var token: String?

    init(_ settings: CronSettings) { source = MachineToken(settings) }

    func used<Value: Sendable>(_ call: @Sendable (String) async throws -> Value) async throws -> Value {
        let known = if let token { token } else { try await fetched() }
        do { return try await call(known) } catch let error as CronFailure where error.isOfToken {}
        return try await call(fetched())
    }

    private func fetched() async throws -> String {
        let fresh = try await source.fetched()
        token = fresh
        return fresh
    }
}
