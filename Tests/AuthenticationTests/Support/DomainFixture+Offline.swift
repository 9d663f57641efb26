import OstiaryProtocol

@testable import Authentication

/// People whose phone has no connection, and who type what it shows.
extension DomainFixture {
    /// A world whose virtual server takes offline codes, with a session that a backend has drawn the code of, and a phone.
    static func offline(_ flags: [String] = ["ENABLE_OTP"]) async throws -> (world: DomainFixture, phone: TestPhone) {
        let world = try await DomainFixture { $0.flags = flags }
        let phone = try await world.enrolledPhone()
        // To the beginning of an interval.
        world.pass(OfflineCode.step - world.now.seconds % OfflineCode.step)
        try await world.link()
        return (world, phone)
    }

    var offlineCodes: OfflineLogins { services.offlineCodes }

    /// What the account's phone shows for the session of a browser, `seconds` later than now.
    func shownCode(
        _ phone: TestPhone, for browser: String = "browser", after seconds: Int = 0, _ length: OfflineCodeLength = .six
    ) async throws -> String {
        let id = try present(phone.account)
        let account = try present(try await store.read { rows in try rows.account(id) })
        let moment = seconds < 0 ? now - UInt64(-seconds) : now + UInt64(seconds)
        return OfflineCode(
            reference: account.otpReference, key: SecretBytes(try account.otpKey.bytes()),
            session: OfflineSession(serverTag: keys.root.tag, id: try present(try await session(browser)).id),
            interval: OfflineCode.interval(at: moment), length: length
        ).exposed
    }

    @discardableResult
    func type(_ text: String, in browser: String = "browser", page: String? = nil) async throws -> LoginStatus {
        try await offlineCodes.logIn(
            text, for: try Self.nonce(browser), page: page.map(Self.page), at: server, by: page == nil ? .backend : .page, now: now)
    }

    /// Why a code that was typed logs nobody in; throws when it does.
    func refusal(ofTyping text: String, in browser: String = "browser", page: String? = nil) async throws -> OfflineCodeRefusal {
        do { try await type(text, in: browser, page: page) } catch let refusal as OfflineCodeRefusal { return refusal }
        throw NotRefused()
    }

    func failures() async throws -> UInt32 {
        let server = server
        return try await store.read { rows in try rows.offlineFailures(at: server)?.count } ?? 0
    }

    func tries(of reference: UInt32) async throws -> Int {
        let server = server
        return try await store.read { rows in try rows.offlineTries(of: reference, at: server)?.moments.count } ?? 0
    }

    func trail() async throws -> [AuditEntry] {
        let server = server
        return try await store.read { rows in try rows.auditEntries(of: server, limit: 1_000) }
    }
}

extension String {
    /// Another code of the same account.
    var wrong: String { dropLast() + (hasSuffix("0") ? "1" : "0") }
    /// The same code of another reference.
    var ofNobody: String { (hasPrefix("0") ? "1" : "0") + dropFirst() }
}
