import HTTPTypes
import Hummingbird
import Logging

/// A request of which it is known who sent it.
protocol RequestOfPeer {
    /// Address of the other end of the connection, without the port; nil in tests without a socket.
    var remoteAddress: String? { get }
}

/// Writes down which requests were refused, a bounded number of lines for each reason.
///
/// A line has the address with names in the place of what varies, and the word that programs were told: nothing that a caller wrote.
struct RefusalLog: Sendable {
    private let refusals = LineLimit<String>(burst: 20)
    /// Guessing a key is one line a minute, however busily it is done.
    private let wrongKeys = LineLimit<String>()
    private let outages = LineLimit<String>()

    func refused(_ status: HTTPResponse.Status, error: String?, _ context: some RequestContext) {
        let error = error ?? word(for: status)
        let limit = status == .unauthorized ? wrongKeys : refusals
        guard let heldBack = limit.admit(error) else { return }
        let level: Logger.Level = status == .unauthorized ? .notice : .info
        context.logger.line(level, "request refused", facts(status, error, heldBack, context))
    }

    /// - Parameter words: for the fault in the line. They may be somebody else's and new each time, so lines are counted by the fault itself, and by whether it
    ///   has words of another kind: one whose reason was not known yet keeps none back that says it.
    func outage(_ fault: any Error, saying words: any Error, _ answer: ErrorResponse, _ context: some RequestContext) {
        guard let heldBack = outages.admit("\(answer.error): \(type(of: words)) \(fault)") else { return }
        context.logger.line(
            .error, "requests fail until this is mended", facts(answer.status, "\(words)", heldBack, context))
    }

    private func facts(_ status: HTTPResponse.Status, _ error: String, _ heldBack: Int, _ context: some RequestContext) -> [LogKey: String] {
        var facts: [LogKey: String] = [.status: "\(status.code)", .error: error]
        facts[.route] = context.endpointPath
        facts[.peer] = (context as? any RequestOfPeer)?.remoteAddress
        if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
        return facts
    }
}
