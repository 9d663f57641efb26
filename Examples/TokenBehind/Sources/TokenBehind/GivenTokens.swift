/// What was given for each call: the same one again gets the same token, also while the first still waits for it. What failed is tried anew.
actor GivenTokens {
    /// Calls that are remembered: an authentication server asks again within seconds, if at all.
    private static let most = 10_000

    private let source: any TokenSource
    private var calls: [String: Task<GivenToken, any Error>] = [:]
    /// In turn, the oldest first.
    private var names: [String] = []

    init(_ source: any TokenSource) { self.source = source }

    func token(for question: Question) async throws -> GivenToken {
        // Another session has no right to it, whatever it calls its call.
        let name = "\(question.serverid) \(question.sid) \(question.requestid)"
        let call = calls[name] ?? begin(name, question)
        do { return try await call.value } catch {
            if calls[name] == call { calls[name] = nil }
            throw error
        }
    }

    private func begin(_ name: String, _ question: Question) -> Task<GivenToken, any Error> {
        if names.count >= Self.most { calls[names.removeFirst()] = nil }
        let call = Task { [source] in try await source.token(for: question) }
        calls[name] = call
        names.append(name)
        return call
    }
}
