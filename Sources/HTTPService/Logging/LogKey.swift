import Logging

/// What a line of the log tells, each under one name in both servers. docs/operations.md explains them; a test compares.
package enum LogKey: String, CaseIterable, Sendable {
    case requestId, method, route, status, peer
    case server, client, account, instance, caller, context, factors
    case type, outcome, reason, error, heldback
    case address, since, lasted, path, work, rows, lost

    /// What the key means, for the reference.
    package var summary: String {
        switch self {
        case .requestId: "names the request; the answer carries it as `X-Request-Id`, errors also as `requestId`"
        case .method: "HTTP method"
        case .route: "address of the request, with names in the place of what varies"
        case .status: "HTTP status of the answer, or the status of AP1 that a phone was told"
        case .peer: "IP address of who asks: at the other end of the connection, or of who asked a trusted proxy there"
        case .server: "virtual server, as the REST API spells it"
        case .client: "`client_id` of an application; in a refusal the one that the caller named, proved or not"
        case .account: "account, as the REST API spells it; in a refusal the one that the phone named, proved or not"
        case .instance: "app instance at the second-factor server: `deviceid` of the account, and what `ostiary second-factor reset` takes"
        case .caller: "identity of a server that is not trusted, as `--print-identity` prints it"
        case .context: "what the second factor was asked for"
        case .factors: "`pin`, `bio`, `cached`, or several; empty for the device alone"
        case .type: "the phone's message, as docs/protocol names it"
        case .outcome: "what the second-factor server decided"
        case .reason: "why, in a word or a sentence"
        case .error: "a fault in the words of the program, or the `error` that the caller was told"
        case .heldback: "lines of this kind that were left out since the last one, so that strangers cannot fill the log"
        case .address: "address of the second-factor server, of a client's backend, or of a service behind a virtual server"
        case .since: "time at which it began"
        case .lasted: "how long it lasted"
        case .path: "a file"
        case .work: "background work"
        case .rows: "how many rows"
        case .lost: "how many lines of the log"
        }
    }
}

extension Logger {
    /// Writes a line whose facts have known names, with those of the request that is being answered.
    package func line(
        _ level: Logger.Level, _ event: String, _ facts: [LogKey: String] = [:], file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        let known = RequestTrace.current?.facts ?? [:]
        let all = known.merging(facts) { _, own in own }
        let metadata: Logger.Metadata = Dictionary(uniqueKeysWithValues: all.map { ($0.key.rawValue, "\($0.value)") })
        log(level: level, "\(event)", metadata: metadata, file: file, function: function, line: line)
    }
}
