/// A fault of which an operator is told what it is and what to do. How it goes on then depends on where it was met, so that is said apart.
package protocol OperatorFault: Error, CustomStringConvertible {
    /// What it is, in one line.
    var trouble: String { get }
    /// Nil where an operator can do nothing.
    var remedy: FaultRemedy? { get }
}

extension OperatorFault {
    /// One line for the log and for readiness.
    package var description: String { words(for: .runningServer) }

    /// One line.
    package func words(for reader: FaultReader) -> String {
        guard let remedy else { return trouble }
        return "\(trouble): \(remedy.words(for: reader))"
    }

    /// One line for whoever says by themselves how it goes on: what it is, and what to do.
    package var brief: String {
        guard let deed = remedy?.deed else { return trouble }
        return "\(trouble): \(deed)"
    }
}

/// Who has met a fault, as far as it goes on differently there when its cause is gone.
package enum FaultReader: CaseIterable, Sendable {
    /// Its log, its readiness.
    case runningServer
    /// A server that did not come to run.
    case start
    /// One of an operator, which has ended with it.
    case command
}

/// What an operator does about a fault.
package enum FaultRemedy: Equatable, Sendable {
    /// Nothing: what cannot be reached will be.
    case wait
    /// This, beneath a server that runs.
    case mend(String)
    /// This, while no server runs.
    case stop(String)
    /// This, and no more can be said.
    case look(String)

    /// Without how it goes on then; nil where there is nothing but that.
    var deed: String? {
        switch self {
        case .wait: nil
        case .mend(let deed), .stop(let deed), .look(let deed): deed
        }
    }

    func words(for reader: FaultReader) -> String {
        switch (self, reader) {
        case (.wait, .runningServer): "a server that runs goes on by itself when it can"
        case (.wait, .start): "start again when it can be"
        case (.wait, .command): "run this again when it can be"
        case (.mend(let deed), .runningServer): "\(deed); a server that runs goes on by itself"
        case (.mend(let deed), .start): "\(deed); then start again"
        case (.mend(let deed), .command): "\(deed); then run this again"
        case (.stop(let deed), .runningServer): "stop the server, \(deed), start it again"
        case (.stop(let deed), .start): "\(deed), then start again"
        case (.stop(let deed), .command): "stop every server on it, \(deed), then run this again"
        case (.look(let deed), _): deed
        }
    }
}
