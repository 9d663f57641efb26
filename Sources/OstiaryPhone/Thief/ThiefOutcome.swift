import OstiaryProgram

/// What became of an attack.
enum ThiefOutcome: Sendable, Equatable {
    /// It came to nothing. What was seen, in order.
    case held([String])
    /// It worked, which is a defect.
    case succeeded(String, after: [String])
    /// Something else went wrong, so nothing is shown.
    case notTried(String)

    /// One word, for the page and for tests.
    var word: String {
        switch self {
        case .held: "held"
        case .succeeded: "succeeded"
        case .notTried: "failed"
        }
    }
}

/// A thief has got what he must not get.
struct AttackSucceeded: Error, Equatable {
    let what: String
}

/// Tries moves, one after the other.
actor ThiefDesk {
    private let make: @Sendable (ThiefMove) throws -> ThiefScene
    private let witness: Witness
    private var isBusy = false

    /// - Parameter make: a fresh scene for a move.
    init(_ witness: Witness, make: @Sendable @escaping (ThiefMove) throws -> ThiefScene) {
        self.witness = witness
        self.make = make
    }

    /// - Returns: nil when another move is going on.
    func attempt(_ move: ThiefMove) async -> ThiefOutcome? {
        guard !isBusy else { return nil }
        isBusy = true
        defer { isBusy = false }
        let scene: ThiefScene
        do { scene = try make(move) } catch { return .notTried(StartFailure.oneLine(error)) }
        defer { scene.clear() }
        return await witness.whileThiefWorks { await Self.verdict(seen: { scene.seen }) { try await move.run(in: scene) } }
    }

    /// What it means that an attack ended as it did.
    static func verdict(seen: () -> [String], of attack: () async throws -> Void) async -> ThiefOutcome {
        do {
            try await attack()
            return .held(seen())
        } catch let success as AttackSucceeded {
            return .succeeded(success.what, after: seen())
        } catch {
            return .notTried(StartFailure.oneLine(error))
        }
    }
}
