import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Store: what was saved is found", .againWithLostCommits)
struct StoreRoundTripTests {
    @Test("A session in every state", arguments: StoreBackend.allCases)
    func sessions(on backend: StoreBackend) async throws {
        try await backend.run { store in
            for state in Sample.states {
                for page in [nil, Sample.page] {
                    let session = Sample.session(state: state, page: page)
                    try await store.write { rows in try rows.save(session) }
                    #expect(try await store.read { rows in try rows.session(session.id) } == session)
                }
            }
        }
    }

    @Test("A session about a device's code is open for as long as the code waits, and is none that was pushed", arguments: StoreBackend.allCases)
    func codes(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let request = LoginRequest(account: Sample.accountID(1))
            for (byte, session) in [
                Session(
                    id: Sample.sessionID(1), server: Sample.server, nonceHash: nil, stream: nil, purpose: .login, startedAt: Sample.now,
                    codeLife: 60),
                Session(
                    id: Sample.sessionID(2), server: Sample.server, nonceHash: nil, stream: nil, purpose: .login, request: request,
                    startedAt: Sample.now, push: SessionPush(openFor: 60)),
            ].enumerated() {
                try await store.write { rows in try rows.save(session) }
                let read = try #require(try await store.read { rows in try rows.session(session.id) })
                #expect(read == session && read.openUntil == Sample.now + 60)
                #expect((read.codeLife, read.push?.openFor) == (byte == 0 ? 60 : nil, byte == 0 ? nil : 60))
            }
            #expect(try await store.read { rows in try rows.waitingSessions(of: Sample.accountID(1), at: Sample.now) }.count == 1)
            #expect(try await store.read { rows in try rows.overdueSessions(at: Sample.now + 61, limit: 9) }.count == 2)
        }
    }

    @Test(
        "A session by its return code: while the browser is awaited and after it came back, at its own server only", arguments: StoreBackend.allCases)
    func returnCodes(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let other = try #require(ServerID(Sample.bytes(9, 16)))
            for state in Sample.states {
                let session = Sample.session(state: state, page: Sample.page)
                try await store.write { rows in try rows.save(session) }
                for ticket in Sample.tickets {
                    let found = try await store.read { rows in try rows.session(returnCodeHash: ticket.codeHash, of: Sample.server) }
                    #expect(found == (session.returnTicket == ticket ? session : nil))
                    #expect(try await store.read { rows in try rows.session(returnCodeHash: ticket.codeHash, of: other) } == nil)
                }
                #expect(try await store.read { rows in try rows.session(returnCodeHash: Sample.bytes(1), of: Sample.server) } == nil)
            }
        }
    }

    @Test("What waits for its browser is among the unfinished sessions of its account, and overdue after its time", arguments: StoreBackend.allCases)
    func returning(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let session = Sample.session(state: .returning(Sample.login, Sample.tickets[0]), page: Sample.page)
            try await store.write { rows in try rows.save(session) }
            #expect(try await store.read { rows in try rows.unfinishedSessions(of: Sample.accountID(1)) } == [session])
            #expect(try await store.read { rows in try rows.overdueSessions(at: Sample.now + 120, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.overdueSessions(at: Sample.now + 121, limit: 9) } == [session])
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + Retention.finishedSession * 9, limit: 9) }
            #expect(try await store.read { rows in try rows.session(session.id) } == session)
        }
    }

    @Test("AppLogins are found among the unfinished sessions of their account, browsers are not", arguments: StoreBackend.allCases)
    func appLogins(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let browser = Sample.session(1, state: .loggedIn(Sample.login))
            let app = Sample.session(2, state: .loggedIn(Sample.login), purpose: .app)
            let over = Sample.session(3, state: .stopped(Sample.login, .user, at: Sample.now), purpose: .app)
            try await store.write { rows in for session in [browser, app, over] { try rows.save(session) } }
            #expect(try await store.read { rows in try rows.unfinishedAppLogins(of: Sample.accountID(1)) } == [app])
            #expect(try await store.read { rows in try rows.unfinishedAppLogins(of: Sample.accountID(2)) }.isEmpty)
        }
    }

    @Test("What is said of a browser without logo and notes ends as it did before there were any, and is read with the place of those as well")
    func browserColumn() throws {
        let shown = ShownContext(info: [Announcement(key: "for", text: "Timesheets")], ip: "Gent", userAgent: "Firefox")
        let column = BrowserColumn(shown: shown, notes: .none)
        #expect(try BrowserColumn(decoding: column.encoded) == column)
        // Programs of before wrote behind it the length of the logo, the count of the notes and the lengths of two empty texts.
        #expect(try BrowserColumn(decoding: column.encoded + [UInt8](repeating: 0, count: 1 + 1 + 2 + 2)) == column)
        #expect(BrowserColumn(shown: .none, notes: .none).encoded == [UInt8](repeating: 0, count: 2 + 2 + 1))
        // Of a logo, and of each of the notes, nothing is left out.
        for notes in [SessionNotes(info: shown.info), SessionNotes(ip: "::1"), SessionNotes(userAgent: "Mozilla")] {
            let column = BrowserColumn(shown: shown, notes: notes)
            #expect(try BrowserColumn(decoding: column.encoded) == column)
        }
        let pictured = BrowserColumn(shown: ShownContext(logo: ShownLogo(hash: Sample.bytes(5))), notes: .none)
        #expect(try BrowserColumn(decoding: pictured.encoded) == pictured)
    }

    @Test("The logos of a session: the newest four, until it goes", arguments: StoreBackend.allCases)
    func logos(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let logos = try (UInt8(1)...5).map { try #require(ServerLogo([0xFF, 0xD8, 0xFF, $0])) }
            try await store.write { rows in
                try rows.save(Sample.session(state: .expired))
                for logo in logos + [logos[1]] { try rows.add(logo, to: Sample.sessionID(3), keeping: 4) }
            }
            for (index, logo) in logos.enumerated() {
                #expect((try await store.read { rows in try rows.logo(hash: logo.hash) } == logo) == (index > 0))
            }
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + Retention.finishedSession + 481, limit: 99) }
            for logo in logos { #expect(try await store.read { rows in try rows.logo(hash: logo.hash) } == nil) }
        }
    }

    @Test("An account, until it is marked deleted", arguments: StoreBackend.allCases)
    func accounts(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (older, newer) = (Sample.account(1), Sample.account(2))
            try await store.write { rows in
                try rows.save(newer)
                try rows.save(older)
                try rows.save(
                    FactorCache(account: older.id, hash: [1], expiresAt: Sample.now, isSingleUse: true, methods: .pin, verifiedAt: Sample.now))
                // There by the first look.
                guard try rows.notices(for: older.id).isEmpty else { return }
                try rows.add(StoredNotice(account: older.id, notice: Sample.notice(1)))
            }
            #expect(try await store.read { rows in try rows.accounts(ofUser: "alice", at: Sample.server) } == [older, newer])
            #expect(try await store.read { rows in try rows.accounts(ofInstance: Sample.instanceID) } == [older, newer])
            #expect(try await store.read { rows in try rows.isTaken(otpReference: 2, at: Sample.server) })
            #expect(
                try await store.read { rows in try rows.activity(of: Sample.server) } == ServerActivity(accountCount: 2, lastLogin: Sample.now + 3))
            try await store.write { rows in try rows.markDeleted(older.id, of: Sample.server, at: Sample.now) }
            let after = try await store.write { rows in
                (try rows.account(older.id), try rows.cache(of: older.id), try rows.notices(for: older.id), try rows.deletedAccount(older.id))
            }
            #expect(after.0 == nil && after.1 == nil && after.2.isEmpty)
            #expect(after.3 == DeletedAccount(id: older.id, server: Sample.server, since: Sample.now))
        }
    }

    @Test("Notices of both kinds come back as they were, the oldest of each; of one kind the newest are kept", arguments: StoreBackend.allCases)
    func notices(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (mine, other) = (Sample.accountID(1), Sample.accountID(2))
            let enrolled = (UInt8(1)...18).map { Sample.notice($0) }
            let pins = (UInt8(101)...105).map { Sample.notice($0, .pinByBiometric) }
            try await store.write { rows in
                // There by the first look.
                guard try rows.notices(for: mine).isEmpty else { return }
                for notice in enrolled + pins { try rows.add(StoredNotice(account: mine, notice: notice)) }
                try rows.add(StoredNotice(account: other, notice: pins[0]))
            }
            func told(_ subject: DeviceNotice.Subject) async throws -> [DeviceNotice] {
                try await store.read { rows in try rows.notices(for: mine) }.filter { $0.subject == subject }
            }
            #expect(try await told(.enrolled).prefix(16) == enrolled.prefix(16))
            #expect(try await told(.pinByBiometric) == pins)
            try await store.write { rows in try rows.keepNewestNotices(3, of: .pinByBiometric, for: mine) }
            #expect(try await told(.pinByBiometric) == Array(pins.suffix(3)))
            try await store.write { rows in try rows.removeNotices([pins[3].id] + enrolled.prefix(2).map(\.id), for: mine) }
            #expect(try await told(.pinByBiometric) == [pins[2], pins[4]])
            #expect(try await told(.enrolled) == Array(enrolled.suffix(16)), "only of the one kind old ones were forgotten")
            #expect(try await store.read { rows in try rows.notices(for: other) } == [pins[0]])
        }
    }

    @Test("An enrolment in every state, by each of its names", arguments: StoreBackend.allCases)
    func enrolments(on backend: StoreBackend) async throws {
        try await backend.run { store in
            for state in Sample.enrolmentStates {
                let enrolment = Sample.enrolment(state: state)
                try await store.write { rows in try rows.save(enrolment) }
                #expect(try await store.read { rows in try rows.enrolment(enrolment.id) } == enrolment)
            }
            let newest = Sample.enrolment(7, state: .claimed(Sample.claim))
            try await store.write { rows in try rows.save(newest) }
            #expect(try await store.read { rows in try rows.enrolment(nonceHash: newest.nonceHash, of: Sample.server) } == newest)
            #expect(try await store.read { rows in try rows.enrolment(ephemeral: Sample.claim.ephemeral) } == newest)
            #expect(try await store.read { rows in try rows.enrolment(account: Sample.claim.account) } == newest)
        }
    }

    @Test("What an enrolment is for, and those that are to upgrade an account, as long as they go on", arguments: StoreBackend.allCases)
    func purposes(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let account = Sample.accountID(1)
            for purpose in [EnrolmentPurpose.full, .headless, .upgrade(account)] {
                for state in Sample.enrolmentStates {
                    let enrolment = Sample.enrolment(state: state, purpose: purpose)
                    try await store.write { rows in try rows.save(enrolment) }
                    #expect(try await store.read { rows in try rows.enrolment(enrolment.id) } == enrolment)
                    let goesOn =
                        switch state {
                        case .open, .claimed, .confirming: true
                        case .active, .failed: false
                        }
                    let found = try await store.read { rows in try rows.upgrades(of: account) }
                    #expect(found == (goesOn && purpose == .upgrade(account) ? [enrolment] : []))
                    #expect(try await store.read { rows in try rows.upgrades(of: Sample.accountID(2)) }.isEmpty)
                }
            }
        }
    }

    @Test("An account without an instance, with one that does not count yet, and without it again", arguments: StoreBackend.allCases)
    func headless(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var account = Sample.account(5, instance: nil)
            for (instance, state) in [(nil, Account.State.active), (Sample.instanceID, .upgrading), (nil, .active), (Sample.instanceID, .active)] {
                (account.instance, account.state) = (instance, state)
                let saved = account
                try await store.write { rows in try rows.save(saved) }
                #expect(try await store.read { rows in try rows.account(saved.id) } == saved)
                let ofInstance = try await store.read { rows in try rows.accounts(ofInstance: Sample.instanceID) }
                #expect(ofInstance == (instance == nil ? [] : [saved]))
            }
        }
    }

    @Test("An instance with its open attempt, receipt and epochs, until it is removed", arguments: StoreBackend.allCases)
    func instances(on backend: StoreBackend) async throws {
        try await backend.run { store in
            try await store.write { rows in try rows.save(Sample.instance) }
            #expect(try await store.read { rows in try rows.instance(Sample.instanceID) } == Sample.instance)
            var withBoth = Sample.instance
            withBoth.pinReceipt = Sample.instance.receipt
            let (both, plain) = (withBoth, Sample.instance)
            try await store.write { rows in try rows.save(both) }
            #expect(try await store.read { rows in try rows.instance(Sample.instanceID) } == both)
            #expect(try await store.read { rows in try rows.instance(Sample.instanceID) } != plain)
            try await store.write { rows in try rows.removeInstance(Sample.instanceID) }
            #expect(try await store.read { rows in try rows.instance(Sample.instanceID) } == nil)
        }
    }

    @Test("A change of the PIN in each of its steps: what goes is gone, what comes is there", arguments: StoreBackend.allCases)
    func pinChanges(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var begun = Sample.pinChange
            begun.setting = nil
            let epochs = Sample.instance.epochs
            let steps: [Instance] = [
                Instance(id: Sample.instanceID, server: Sample.server, epochs: [epochs[0]]),
                Instance(id: Sample.instanceID, server: Sample.server, epochs: [epochs[0]], pinChange: begun), Sample.instance,
                Instance(
                    id: Sample.instanceID, server: Sample.server,
                    epochs: [epochs[1], .init(number: 3, serverShare: StoredSecret(Sample.bytes(11)), secondFactorKey: Sample.bytes(6))]),
            ]
            for step in steps {
                try await store.write { rows in try rows.save(step) }
                #expect(try await store.read { rows in try rows.instance(step.id) } == step)
            }
        }
    }

    @Test("A server with all its parameters", arguments: StoreBackend.allCases)
    func servers(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var update = ServerUpdate()
            update.logo = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
            update.flags = ["NO_BIOMETRICS", "SKIP_ENROL_CONFIRMATION", "STRICT_LINKS"]
            (update.pingTime, update.pinTimeout, update.pinTransTimeout, update.staticQRAge) = (0, -1, 5, 0)
            (update.appName, update.appAndroid, update.appIOS, update.appURL) = ("a", "b", "c", "d")
            (update.siteURL, update.wsURL, update.owner) = ("https://e", "f", "g")
            (update.color, update.colorDark) = ("#1f5f66", "#8fd0d3")
            update.frameOrigins = ["https://shop.example", "http://localhost:3000"]
            let server = VirtualServer(
                id: Sample.server, publicKey: Sample.bytes(1), createdAt: Sample.now,
                parameters: try update.applied(to: ServerParameters(name: "Shop")))
            try await store.write { rows in try rows.save(server) }
            #expect(try await store.read { rows in try rows.servers() } == [server])
            let logo = try #require(server.parameters.logo)
            #expect(try await store.read { rows in try rows.logo(hash: logo.hash) } == logo)
        }
    }

    @Test("The services behind a virtual server, one of each kind, with their secrets, until they are removed", arguments: StoreBackend.allCases)
    func servicesBehind(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let servers = [Sample.server, ServerID(Sample.bytes(2, 16))!].map { id in
                VirtualServer(id: id, publicKey: Sample.bytes(1), createdAt: Sample.now, parameters: ServerParameters(name: "Shop"))
            }
            let services = try [(servers[0], ServiceKind.token), (servers[1], .token), (servers[0], .data)].enumerated().map { index, each in
                ServiceBehind(
                    each.1, server: each.0.id, address: try #require(ServiceAddress("https://tokens.example/\(index)")),
                    secret: StoredSecret(Sample.bytes(UInt8(index))), patience: UInt64(index + 1))
            }
            try await store.write { rows in
                for server in servers { try rows.save(server) }
                for service in services { try rows.save(service) }
            }
            for service in services {
                #expect(try await store.read { rows in try rows.service(service.kind, of: service.server) } == service)
            }
            let moved = ServiceBehind(
                .token, server: Sample.server, address: try #require(ServiceAddress("https://other.example/")), secret: StoredSecret([9]), patience: 9
            )
            try await store.write { rows in try rows.save(moved) }
            #expect(try await store.read { rows in try rows.service(.token, of: Sample.server) } == moved)
            try await store.write { rows in try rows.removeService(.token, of: Sample.server) }
            #expect(try await store.read { rows in try rows.service(.token, of: Sample.server) } == nil)
            #expect(try await store.read { rows in try rows.service(.data, of: Sample.server) } == services[2], "the other kind is another's")
            #expect(try await store.read { rows in try rows.service(.token, of: services[1].server) } == services[1])
            try await store.write { rows in try rows.removeService(.data, of: Sample.server) }
            #expect(try await store.read { rows in try rows.service(.data, of: Sample.server) } == nil)
        }
    }

    @Test("What a nonce leads to, in one look-up", arguments: StoreBackend.allCases)
    func views(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let account = Sample.account(1)
            let session = Sample.session(state: .loggedIn(Sample.login))
            let pointer = NoncePointer(server: Sample.server, hash: Sample.bytes(3), kind: .chosen, session: session.id, run: 5)
            try await store.write { rows in
                try rows.save(account)
                try rows.save(session)
                try rows.save(pointer)
            }
            let view = try await store.read { rows in try rows.view(nonceHash: Sample.bytes(3), of: Sample.server) }
            #expect(view == SessionView(session: session, account: AccountFacts(account)))
            #expect(try await store.read { rows in try rows.pointer(nonceHash: Sample.bytes(3), of: Sample.server) } == pointer)
            #expect(try await store.read { rows in try rows.view(nonceHash: Sample.bytes(4), of: Sample.server) } == nil)
            #expect(try await store.read { rows in try rows.view(nonceHash: Sample.bytes(3), of: ServerID(Sample.bytes(2, 16))!) } == nil)
            try await store.write { rows in try rows.removePointer(nonceHash: Sample.bytes(3), of: Sample.server) }
            #expect(try await store.read { rows in try rows.view(nonceHash: Sample.bytes(3), of: Sample.server) } == nil)
        }
    }

    @Test("Closes that are due, and the audit trail", arguments: StoreBackend.allCases)
    func closesAndAudit(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let close = PendingClose(
                instance: Sample.instanceID, server: Sample.server, retry: RetrySchedule(since: Sample.now, attempts: 2, dueAt: Sample.now + 4))
            let actors: [AuditActor] = [.api(key: "main"), .phone, .page, .operator, .secondFactor, .client, .server, .unknown]
            let entries = actors.map { AuditEntry(.accountBlocked, server: Sample.server, account: Sample.accountID(1), by: $0, at: Sample.now) }
            try await store.write { rows in
                try rows.queue(close)
                // There by the first look.
                guard try rows.auditEntries(of: Sample.server, limit: 1).isEmpty else { return }
                for entry in entries { try rows.record(entry) }
            }
            #expect(try await store.read { rows in try rows.dueCloses(at: Sample.now + 3, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.dueCloses(at: Sample.now + 4, limit: 9) } == [close])
            #expect(try await store.read { rows in try rows.oldestClose() } == Sample.now)
            try await store.write { rows in try rows.removeClose(of: Sample.instanceID) }
            #expect(try await store.read { rows in try rows.dueCloses(at: Sample.now + 4, limit: 9).isEmpty && rows.oldestClose() == nil })
            #expect(try await store.read { rows in try rows.auditEntries(of: Sample.server, limit: 9) } == entries.reversed())
        }
    }

    @Test("Leaves that are due, later when they were put off, and what lies ahead of the clock", arguments: StoreBackend.allCases)
    func leaves(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var leave = PendingLeave(
                deviceKey: Sample.bytes(7), instance: Sample.instanceID, server: Sample.server,
                retry: RetrySchedule(since: Sample.now, attempts: 0, dueAt: Sample.now + 4))
            let first = leave
            try await store.write { rows in try rows.queue(first) }
            #expect(try await store.read { rows in try rows.dueLeaves(at: Sample.now + 3, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.dueLeaves(at: Sample.now + 4, limit: 9) } == [leave])
            #expect(try await store.read { rows in try rows.isLeaving(first.deviceKey) })
            #expect(try await store.read { rows in try rows.isLeaving(Sample.bytes(0x77, 65)) } == false)
            leave.retry = RetrySchedule(since: Sample.now, attempts: 3, dueAt: Sample.now + 9_000)
            let later = leave
            try await store.write { rows in try rows.queue(later) }
            #expect(try await store.read { rows in try rows.dueLeaves(at: Sample.now + 4, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.leaves(dueAfter: Sample.now + 8_999) } == [leave])
            #expect(try await store.read { rows in try rows.oldestLeave() } == Sample.now)
            #expect(try await store.read { rows in try rows.leaves(dueAfter: Sample.now + 9_000) }.isEmpty)
            try await store.write { rows in try rows.removeLeave(of: Sample.bytes(7)) }
            #expect(try await store.read { rows in try rows.dueLeaves(at: Sample.now + 10_000, limit: 9).isEmpty && rows.oldestLeave() == nil })
        }
    }

    @Test("Which sessions and enrolments ran out", arguments: StoreBackend.allCases)
    func overdue(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let states = Sample.states
            try await store.write { rows in
                for (index, state) in states.enumerated() { try rows.save(Sample.session(UInt8(index) + 10, state: state)) }
                for (index, state) in Sample.enrolmentStates.enumerated() { try rows.save(Sample.enrolment(UInt8(index) + 10, state: state)) }
            }
            let later = Sample.now + 500
            let expected = states.indices.filter { Sample.session(state: states[$0]).settled(at: later).state != states[$0] }
            let sessions = try await store.read { rows in try rows.overdueSessions(at: later, limit: 99) }
            #expect(Set(sessions.map(\.id)) == Set(expected.map { Sample.sessionID(UInt8($0) + 10) }))
            #expect(try await store.read { rows in try rows.overdueEnrolments(at: Sample.now + 600, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.overdueEnrolments(at: Sample.now + 601, limit: 9) }.count == 4)
            #expect(try await store.read { rows in try rows.unfinishedSessions(of: Sample.accountID(1)) }.count == 6)
        }
    }

    @Test(
        "A login that nobody used goes minutes after its end, with its nonce and its image; one that somebody decided stays a day",
        arguments: StoreBackend.allCases)
    func unusedSessions(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let states = Sample.states
            let logo = try #require(ServerLogo([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]))
            try await store.write { rows in
                for (index, state) in states.enumerated() {
                    let session = Sample.session(UInt8(index) + 10, state: state)
                    try rows.save(session)
                    try rows.save(
                        NoncePointer(server: Sample.server, hash: Sample.bytes(UInt8(index) + 10), kind: .chosen, session: session.id, run: 0))
                    if state == .open { try rows.add(logo, to: session.id, keeping: 4) }
                }
            }
            func left() async throws -> [SessionState] {
                try await store.read { rows in try states.indices.compactMap { try rows.session(Sample.sessionID(UInt8($0) + 10))?.state } }
            }
            // Five minutes open, three more for a claim, and a little for phones that are late.
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 600, limit: 99) }
            #expect(try await left() == states)
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 601, limit: 99) }
            #expect(try await left() == states.filter { $0 != .open && $0 != .expired })
            #expect(try await store.read { rows in try rows.logo(hash: logo.hash) } == nil)
            let pointers = try await store.read { rows in
                try states.indices.compactMap { try rows.pointer(nonceHash: Sample.bytes(UInt8($0) + 10), of: Sample.server) }
            }
            #expect(pointers.count == states.filter { $0 != .open && $0 != .expired }.count)
        }
    }
}
