import CLibPQ
import Foundation

/// One connection, message by message. Several are sent at once where that is possible, and answered in their order, which is one way there and back.
///
/// Used by one thread at a time. A link that was lost stays lost.
final class PostgreSQLLink {
    enum Message {
        /// A statement that is run once, without arguments.
        case once(String)
        case prepare(name: String, String, [Oid])
        /// The types of its arguments and columns.
        case describe(name: String)
        case run(name: String, [SQLValue])
    }

    /// The connection is no more: it was closed by somebody, or nothing was heard for too long.
    struct Loss: Error, Equatable {
        let reason: String
        /// Whether nobody closed it or refused: nothing was heard, for as long as one was to wait.
        var isSilence = false
        /// Whether whoever asked had less time than it takes to tell: nothing is known of the server.
        var isLate = false
        /// Whether a standby has said it; nil where it is not known what there is.
        var follows: Bool?
        /// What an operator does about what we object to, as one line without a secret; nil where the reason says it, or nothing is known.
        var remedy: String?
        /// Likewise about what PostgreSQL or libpq has said: for whoever ends with it.
        var advice: String?
        /// What was refused in the same breath, where something was.
        var fault: PostgreSQLFault?
    }

    /// One of libpq's.
    struct Option {
        let name: String
        fileprivate let value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
        init(_ name: String, _ password: PostgreSQLPassword) { (self.name, value) = (name, password.text) }
    }

    let connection: OpaquePointer
    private let warnings = Warnings()
    /// Milliseconds in which nothing may be heard; nil for any.
    var silence: Int?
    /// When whoever asks waits no longer.
    var deadline = Deadline.never
    /// Which of the hosts it leads to.
    let host: Int
    /// What its session is known by from its beginning on (``LinkMark``).
    let mark = LinkMark.fresh()
    /// Of the server that it leads to; nil until that was asked.
    var timeline: ServerTimeline?
    /// Whether somebody between has a connection to the server for it.
    var isBehindPooler = false

    /// - Parameters:
    ///   - host: its place among those of the address.
    ///   - deadline: by which it is there. A name is looked up for as long as the system takes.
    /// - Throws: ``Loss``, with a reason that holds no secret.
    init(_ options: [Option], host: Int, by deadline: Deadline) throws(Loss) {
        self.host = host
        connection = try Self.connect(options, by: deadline)
        PQsetNoticeReceiver(connection, Warnings.note, Unmanaged.passUnretained(warnings).toOpaque())
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            PQfinish(connection)
            throw Loss(reason: "the connection takes no messages")
        }
    }

    deinit { PQfinish(connection) }

    /// The number of the server's process, as it was told when the connection was made. A pooler tells one of its own.
    var process: Int64 { Int64(PQbackendPID(connection)) }

    /// Nothing more is said by it.
    func giveUp() { isLost = true }

    /// Says all messages and hears what became of each. After one that was refused the others are not carried out: their answers are missing.
    /// - Throws: ``Loss``.
    func exchange(_ messages: [Message]) throws(Loss) -> [PostgreSQLAnswer] {
        guard !isLost else { throw Loss(reason: "the connection was lost before") }
        do throws(Loss) { return try say(messages) } catch {
            (isLost, wentSilent) = (true, error.isSilence)
            throw error
        }
    }

    private func say(_ messages: [Message]) throws(Loss) -> [PostgreSQLAnswer] {
        for message in messages { guard Self.send(message, on: connection) == 1 else { throw loss } }
        guard PQpipelineSync(connection) == 1 else { throw loss }
        try flush()
        return try answers()
    }

    /// Whether a transaction is open, and takes statements.
    var isInTransaction: Bool { PQtransactionStatus(connection) == PQTRANS_INTRANS }
    var isIdle: Bool { !isLost && PQtransactionStatus(connection) == PQTRANS_IDLE }
    /// After a ``Loss``, what was said may still be carried out, and what would be heard is no answer to what is said next; or it was given up.
    private(set) var isLost = false
    /// Whether it was lost because nothing was heard in all of `silence`.
    private(set) var wentSilent = false

    /// Whether the server has warned since the last time that it was asked.
    func takeWarning() -> Bool {
        defer { warnings.isAny = false }
        return warnings.isAny
    }

    private static func send(_ message: Message, on connection: OpaquePointer) -> Int32 {
        switch message {
        case .once(let sql): PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1)
        case .prepare(let name, let sql, let types): PQsendPrepare(connection, name, sql, Int32(types.count), types)
        case .describe(let name): PQsendDescribePrepared(connection, name)
        case .run(let name, let arguments):
            PostgreSQLArguments(arguments).withPointers { values, lengths, formats in
                PQsendQueryPrepared(connection, name, Int32(arguments.count), values, lengths, formats, 1)
            }
        }
    }

    private func flush() throws(Loss) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may have to be heard before it listens.
                if try wait(for: Int16(POLLIN | POLLOUT)) & Int16(POLLIN) != 0 { guard PQconsumeInput(connection) == 1 else { throw loss } }
            default: throw loss
            }
        }
    }

    /// All answers up to the end of what was said together.
    private func answers() throws(Loss) -> [PostgreSQLAnswer] {
        var answers: [PostgreSQLAnswer] = []
        while true {
            while PQisBusy(connection) != 0 {
                try wait(for: Int16(POLLIN))
                guard PQconsumeInput(connection) == 1 else { throw Loss(reason: loss.reason, fault: answers.lazy.compactMap(\.fault).first) }
            }
            let result = PQgetResult(connection)
            guard PQstatus(connection) == CONNECTION_OK else {
                let last = result.map { PostgreSQLAnswer($0) }
                let refused = (answers + (last.map { [$0] } ?? [])).lazy.compactMap(\.fault).first
                throw Loss(reason: last.map { $0.fault?.state ?? "" } ?? loss.reason, fault: refused)
            }
            // One stands between two answers.
            guard let result else { continue }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                return answers
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default: answers.append(PostgreSQLAnswer(result))
            }
        }
    }

    /// - Returns: which of the events came.
    @discardableResult
    private func wait(for events: Int16) throws(Loss) -> Int16 {
        let quiet = Deadline(milliseconds: silence)
        do throws(Loss) { return try Self.wait(for: events, on: connection, by: deadline.before(quiet)) } catch {
            // Whoever had little time left has not heard for long.
            throw Loss(reason: error.reason, isSilence: error.isSilence && quiet.isOver)
        }
    }

    private static func wait(for events: Int16, on connection: OpaquePointer, by deadline: Deadline) throws(Loss) -> Int16 {
        var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
        while true {
            let count = poll(&descriptor, 1, deadline.left)
            if count > 0 { return descriptor.revents }
            guard count != 0 else { throw Loss(reason: "nothing was heard of the server", isSilence: true) }
            guard errno == EINTR else { throw Loss(reason: systemReason()) }
        }
    }

    private var loss: Loss { Loss(reason: Self.reason(of: connection)) }

    private static func reason(of connection: OpaquePointer?) -> String {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return message.split(separator: "\n").first.map(String.init) ?? "the connection was closed"
    }

    /// Why no connection was made. Of a name with several addresses each has a line, and the last may be the one that says it; what libpq asks itself
    /// stands behind a tab.
    private static func refusal(by connection: OpaquePointer) -> String {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let lines = message.split(separator: "\n").filter { !$0.hasPrefix("\t") }
        return lines.isEmpty ? "the connection was closed" : lines.joined(separator: "; ")
    }

    private static func connect(_ options: [Option], by deadline: Deadline) throws(Loss) -> OpaquePointer {
        if let fault = PostgreSQLLibrary.fault { throw Loss(reason: fault) }
        let texts = options.flatMap { [strdup($0.name), strdup($0.value)] }
        defer { for text in texts { free(text) } }
        let names = stride(from: 0, to: texts.count, by: 2).map { UnsafePointer(texts[$0]) } + [nil]
        let values = stride(from: 1, to: texts.count, by: 2).map { UnsafePointer(texts[$0]) } + [nil]
        guard let connection = PQconnectStartParams(names, values, 0) else { throw Loss(reason: "no memory for a connection") }
        do throws(Loss) {
            guard PQstatus(connection) != CONNECTION_BAD else { throw Loss(reason: refusal(by: connection)) }
            var isReading = false
            while true {
                _ = try wait(for: Int16(isReading ? POLLIN : POLLOUT), on: connection, by: deadline)
                switch PQconnectPoll(connection) {
                case PGRES_POLLING_OK: return connection
                case PGRES_POLLING_READING: isReading = true
                case PGRES_POLLING_WRITING: isReading = false
                default: throw Loss(reason: refusal(by: connection))
                }
            }
        } catch {
            PQfinish(connection)
            throw error
        }
    }
}

/// What a server says beside its answers.
private final class Warnings {
    var isAny = false

    /// Called by libpq, which would write it to standard error.
    static let note: PQnoticeReceiver = { pointer, result in
        guard let pointer, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))) else { return }
        if String(cString: severity) == "WARNING" { Unmanaged<Warnings>.fromOpaque(pointer).takeUnretainedValue().isAny = true }
    }
}

/// Arguments in the form in which libpq takes them.
private struct PostgreSQLArguments {
    private var bytes: [UInt8] = []
    /// Where each begins; nil for null.
    private var places: [Int?] = []
    private var lengths: [Int32] = []

    init(_ arguments: [SQLValue]) {
        for argument in arguments {
            let content = argument.postgresqlBytes
            places.append(content.map { _ in bytes.count })
            lengths.append(Int32(content?.count ?? 0))
            bytes += content ?? []
        }
        // So that an empty one has a place, too.
        bytes.append(0)
    }

    func withPointers<Value>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Value
    ) -> Value {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let values = places.map { place in place.flatMap { start?.advanced(by: $0) } }
            return body(values, lengths, [Int32](repeating: 1, count: places.count))
        }
    }
}
