import Database
import Synchronization

/// One body, run twice on one connection.
final class TwoRuns<Value: Sendable>: Sendable {
    private let body: @Sendable (any SQLConnection) throws -> Value
    private let found = Mutex<RerunDifference?>(nil)

    init(of body: @Sendable @escaping (any SQLConnection) throws -> Value) { self.body = body }

    /// How the second run differed, after both.
    var difference: RerunDifference? { found.withLock { $0 } }

    /// Both runs, of a body that changes nothing.
    func run(on connection: any SQLConnection) throws -> Value {
        try compared(run(recordedOn: connection), run(recordedOn: connection))
    }

    /// Both runs, the second on the rows as they were before the first.
    func runTakingBack(on connection: any SQLConnection) throws -> Value {
        try connection.execute("SAVEPOINT first_run")
        let first = run(recordedOn: connection)
        do {
            try connection.execute("ROLLBACK TO first_run")
            try connection.execute("RELEASE first_run")
        } catch {
            // The first run lost the whole transaction, on a full disk for example: it says why.
            _ = try first.outcome.get()
            throw error
        }
        return try compared(first, run(recordedOn: connection))
    }

    private struct Run {
        let script: [Statement]
        let outcome: Result<Value, any Error>
        /// Whether it came to its end by itself.
        let isWhole: Bool
    }

    private func run(recordedOn connection: any SQLConnection) -> Run {
        let recording = RecordingConnection(connection, keepsBack: true)
        let outcome = Result { try body(recording) }
        return Run(script: recording.script, outcome: outcome, isWhole: !recording.wasGivenUp)
    }

    /// The outcome of the second run, which is the one that counts.
    private func compared(_ first: Run, _ second: Run) throws -> Value {
        if first.isWhole, second.isWhole, let difference = difference(first.script, second.script) ?? difference(first.outcome, second.outcome) {
            found.withLock { $0 = difference }
        }
        return try second.outcome.get()
    }

    private func difference(_ first: [Statement], _ second: [Statement]) -> RerunDifference? {
        for index in 0..<max(first.count, second.count) {
            let (before, after) = (first.dropFirst(index).first, second.dropFirst(index).first)
            guard let before, let after, before.sql == after.sql, before.arguments.count == after.arguments.count else {
                return .statement(first: before?.sql, second: after?.sql)
            }
            for (number, (one, other)) in zip(before.arguments, after.arguments).enumerated() where one != other {
                return .argument(number + 1, of: before.sql)
            }
        }
        return nil
    }

    private func difference(_ first: Result<Value, any Error>, _ second: Result<Value, any Error>) -> RerunDifference? {
        switch (first, second) {
        case (.success(let one), .success(let other)): isSame(one, other) ? nil : .answer("\(Value.self)")
        case (.failure(let one), .failure(let other)) where isSame(one, other): nil
        default: .error(first: word(for: first), second: word(for: second))
        }
    }

    private func word(for outcome: Result<Value, any Error>) -> String {
        switch outcome {
        case .success: "an answer"
        case .failure(let error): "\(type(of: error))"
        }
    }
}
