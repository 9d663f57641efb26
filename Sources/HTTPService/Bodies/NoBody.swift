import Hummingbird

extension Request {
    /// Refuses a body where the call has none, by the name of its first member: whoever sends one means something by it. `{}` says nothing.
    package func checkNoBody(limit: Int = ServiceLimits.standard.body) async throws {
        let bytes = try await bytes(limit: limit)
        if !bytes.isEmpty { _ = try JSONBody.decode(NoBody.self, from: bytes) }
    }
}

/// The body of a call that has none.
private struct NoBody: JSONFields {
    enum Field: CodingKey, CaseIterable {}
}
