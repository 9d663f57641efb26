import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The device flow (RFC 8628): a television or a command line shows a code and a QR, and the phone does the rest.
package struct DeviceService: Sendable {
    let context: ProviderContext
    /// Of codes that nobody has decided.
    let limit: WaitingLimit
    /// Codes that none were, by where they were typed.
    let wrong = PlaceTries(.userCodes)

    package struct Begun: Sendable {
        package let deviceCode: String
        package let userCode: UserCode

        /// The answer of §3.2.
        /// - Parameter verification: the address of the page where the code is typed.
        package func json(verification: String) -> JSONObject {
            JSONObject([
                "device_code": .string(deviceCode), "user_code": .string(userCode.shown), "verification_uri": .string(verification),
                "verification_uri_complete": .string("\(verification)?user_code=\(userCode.shown)"),
                "expires_in": .integer(Int64(clamping: PolledAuthorization.deviceLife)),
                "interval": .integer(Int64(clamping: PolledAuthorization.interval)),
            ])
        }
    }

    /// A code of a client without credentials is anybody's, and counts where it comes from.
    /// - Throws: `TokenRefusal`, ``TooManyWaiting``.
    package func begin(_ call: TokenCall, from place: CallPlace = .unknown, at now: Instant) async throws -> Begun {
        let authenticated = try await context.authenticated(call, at: now)
        guard authenticated.application.grantTypes.contains(.deviceCode) else { throw TokenRefusal.grantTypeNotAllowed }
        let scopes = try call.parameters.scopes() ?? [.openID]
        let target = try call.parameters.target()
        let begun = Begun(deviceCode: Base64URL.encode(context.random.bytes(32)), userCode: UserCode(using: context.random))
        let limit = limit
        try await context.write(for: authenticated) { rows, application, former -> Void in
            let hash = SHA(begun.deviceCode.utf8)
            // Begun by the first look.
            if former != nil, try rows.polled(hash: hash, of: call.server) != nil { return }
            let allowed = try rows.allowed(scopes, target, of: application)
            let counted = application.isPublic ? place.name : nil
            if let counted { try rows.checkRoom(for: .devices, of: application.id, from: counted, at: call.server, under: limit, now: now) }
            try rows.save(
                PolledAuthorization(
                    hash: hash, server: call.server, client: application.id, way: .device(userCodeHash: begun.userCode.hash), scopes: allowed,
                    api: target, createdAt: now, life: PolledAuthorization.deviceLife, place: counted))
        }
        return begun
    }

    /// What somebody typed, as `waiting` has it. A code that none is counts against the place where it was typed, and is counted before it is looked for: of
    /// many at the same moment no more are looked for than may be wrong. What can be no code counts for nothing, as nobody finds one by it.
    /// - Throws: ``UserCodesLocked``.
    package func waiting(forTyped text: String, from place: CallPlace, at server: ServerID, now: Instant) async throws -> PolledAuthorization? {
        if let wait = wrong.wait(place, at: now) { throw UserCodesLocked(seconds: wait) }
        guard let code = UserCode(typed: text) else { return nil }
        if let wait = wrong.take(place, at: now) { throw UserCodesLocked(seconds: wait) }
        let waiting: PolledAuthorization?
        do { waiting = try await self.waiting(for: code, at: server, now: now) } catch {
            wrong.giveBack(place, takenAt: now)
            throw error
        }
        if waiting != nil { wrong.giveBack(place, takenAt: now) }
        return waiting
    }

    /// What a typed code asks for, to be shown to the person before they decide; nil for a code that nobody waits with.
    package func waiting(for code: UserCode, at server: ServerID, now: Instant) async throws -> PolledAuthorization? {
        try await context.store.read { rows in try rows.polled(userCodeHash: code.hash, of: server) }.flatMap { $0.isWaiting(at: now) ? $0 : nil }
    }
}

/// Too many codes were typed in one place that none are.
package struct UserCodesLocked: Error, Equatable, Sendable {
    /// After which one may be typed there again.
    package let seconds: UInt64

    package init(seconds: UInt64) { self.seconds = seconds }
}

extension OAuthRows {
    /// What a client may ask of it.
    func allowed(_ scopes: ScopeSet, _ target: APIIdentifier?, of application: Application) throws -> ScopeSet {
        let api = try target.flatMap { try self.api($0, for: application) }
        guard target == nil || api != nil else { throw TokenRefusal.targetUnknown }
        let allowed = ScopeRule(application: application, api: api).allowed(of: scopes)
        guard !allowed.isEmpty else { throw TokenRefusal.nothingGranted }
        return allowed
    }
}
