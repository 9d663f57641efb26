import Foundation

/// Makes links, all alike: to a server that takes writes, shows who it is, and keeps what it says that it has kept.
struct PostgreSQLConnector: Sendable {
    let address: PostgreSQLAddress
    let settings: PostgreSQLSettings
    let order: HostOrder
    let refusal = RefusalNote()
    let pooling = PoolingDoubt()
    let timelines = SeenTimelines()

    init(address: PostgreSQLAddress, settings: PostgreSQLSettings) {
        (self.address, self.settings) = (address, settings)
        order = HostOrder(count: address.hosts.count)
    }

    /// Which database it is, for an operator.
    var place: String { address.description }

    /// Several hosts share the time: a silent one leaves enough of it to those behind it.
    /// - Parameter deadline: by which it is needed.
    /// - Throws: ``PostgreSQLLink/Loss``, with the reasons of all hosts; silent, if one of them was. Where the time of whoever asks was over first, that is no
    ///   silence of a host's: the loss is late.
    func connect(by deadline: Deadline = .never) throws(PostgreSQLLink.Loss) -> PostgreSQLLink {
        let whole = Deadline(milliseconds: settings.connectTimeout)
        let (end, isShort) = (deadline.before(whole), deadline.isBefore(whole))
        var refusals = HostRefusals(of: address)
        let places = order.places
        for (number, place) in places.enumerated() {
            do throws(PostgreSQLLink.Loss) {
                let link = try connect(to: place, by: end.share(of: places.count - number))
                order.note(answered: place)
                refusal.noteConnection()
                return link
            } catch {
                if error.isSilence, !isShort { order.note(silent: place) }
                refusals.note(error, at: place)
            }
        }
        let loss = refusals.loss(isShort: isShort)
        refusal.note(loss.reason, remedy: loss.remedy)
        throw loss
    }

    private func connect(to place: Int, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> PostgreSQLLink {
        while true {
            let turn = try pooling.turn(at: place, by: deadline)
            // However it ends: others may wait for it.
            defer { pooling.end(turn) }
            let link = try settled(to: place, by: deadline)
            do throws(PostgreSQLLink.Loss) {
                if let objection = timelines.note(link.timeline) { throw PostgreSQLLink.Loss(reason: objection) }
                guard try isKept(link, in: turn, by: deadline) else { continue }
            } catch {
                // It takes writes, whatever else is wrong with it.
                var loss = error
                loss.follows = false
                throw loss
            }
            link.silence = settings.silence
            return link
        }
    }

    /// A connection with our settings. It is given the rest of the time for each of its answers.
    func settled(to place: Int, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> PostgreSQLLink {
        let link = try PostgreSQLLink(try options(for: address.hosts[place]), host: place, by: deadline)
        link.silence = Int(deadline.left)
        try settle(link)
        return link
    }

    private func options(for host: PostgreSQLAddress.Host) throws(PostgreSQLLink.Loss) -> [PostgreSQLLink.Option] {
        var options: [PostgreSQLLink.Option] = [
            .init("host", host.name), .init("port", "\(host.port)"), .init("dbname", address.database), .init("client_encoding", "UTF8"),
            .init("application_name", settings.program), .init("gssencmode", "disable"),
            .init("sslmode", address.isVerified ? "verify-full" : "disable"),
            // A server that went without a word is noticed, in seconds.
            .init("keepalives_idle", "10"), .init("keepalives_interval", "5"), .init("keepalives_count", "3"), .init("tcp_user_timeout", "10000"),
        ]
        let files = [("sslrootcert", address.rootCertificates), ("sslcert", address.certificate), ("sslkey", address.key), ("user", address.user)]
        options += files.compactMap { name, value in value.map { .init(name, $0) } }
        if let file = address.passwordFile { options.append(.init("password", try PostgreSQLPassword(file: file))) }
        return options
    }

    /// Settings that every transaction of ours relies on, and a look whether they are so.
    private func settle(_ link: PostgreSQLLink) throws(PostgreSQLLink.Loss) {
        let answers = try link.exchange([.once(settingStatement(mark: link.mark)), .once(Self.question)])
        guard answers.count == 2, let row = try? answers[1].rows(answers[1].columns).first, let standing = ServerStanding(row) else {
            throw PostgreSQLLink.Loss(reason: "its settings cannot be read (\(answers.last?.fault?.message ?? "no answer"))")
        }
        if let objection = standing.objection(to: address.database) {
            throw PostgreSQLLink.Loss(reason: objection.cause, follows: standing.follows, remedy: objection.remedy)
        }
        link.timeline = try? ServerTimeline(row)
        link.isBehindPooler = (try? row.integer("process")) != link.process
    }

    private func settingStatement(mark: String) -> String {
        let settings = [
            (LinkMark.setting, mark),
            ("statement_timeout", "\(settings.statementTimeout)"), ("lock_timeout", "\(settings.lockTimeout)"),
            ("idle_in_transaction_session_timeout", "\(settings.idleTimeout)"), ("client_min_messages", "warning"),
        ]
        // What is more than on stays.
        let commit = "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END"
        let others = settings.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
        return "SELECT set_config('synchronous_commit', \(commit), false), \(Self.noTransactionTimeout), \(others)"
    }

    /// PostgreSQL has it from 17 on. Whatever an operator says there, a step of the schema waits and works for as long as it takes; in all else each statement
    /// has its time.
    private static let noTransactionTimeout = """
        CASE WHEN current_setting('server_version_num')::int >= 170000 THEN set_config('transaction_timeout', '0', false) END
        """

    private static let question = """
        SELECT current_setting('server_version_num')::bigint AS version, \(ServerDurability.columns),
        pg_encoding_to_char(encoding)::text AS encoding,
        CASE datlocprovider WHEN 'i' THEN 'one of ICU' ELSE datcollate::text END AS collation, current_schema()::text AS schema, pg_is_in_recovery() AS follows,
        CASE WHEN current_schema() IS NULL THEN (\(SQLCatalogue.closedSchemaOfPath)) END AS closed_schema,
        current_setting('default_transaction_read_only') AS reads_only, session_user::text AS role,
        CASE WHEN current_setting('default_transaction_read_only') <> 'off'
        THEN (SELECT source FROM pg_settings WHERE name = 'default_transaction_read_only') END AS read_only_source,
        pg_backend_pid()::bigint AS process, \(ServerTimeline.columns) FROM pg_database WHERE datname = current_database()
        """
}
