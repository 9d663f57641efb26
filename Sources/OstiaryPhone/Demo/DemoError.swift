/// Why the demonstration could not go on; each is one line for the person who watches.
enum DemoError: Error, Equatable, CustomStringConvertible {
    /// A server ended, or did not get ready in time; its last line of log is told.
    case serverFailed(name: String, reason: String)
    /// The management interface answered something else than was asked for.
    case unexpectedAnswer(call: String, status: Int)
    /// A step of the story did not happen.
    case stepFailed(String)

    var description: String {
        switch self {
        case .serverFailed(let name, let reason): "\(name) did not start: \(reason)"
        case .unexpectedAnswer(let call, let status): "\(call) answered \(status)"
        case .stepFailed(let reason): reason
        }
    }
}
