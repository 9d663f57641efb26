/// Where tokens come from.
protocol TokenSource: Sendable {
    /// - Throws: ``NoToken``, where there is none for this person; anything else is a fault, which passes.
    func token(for question: Question) async throws -> GivenToken
}

/// What the app gets, byte for byte.
struct GivenToken: Sendable {
    let bytes: [UInt8]
    let contentType: String
}

/// This person gets none.
struct NoToken: Error {}
