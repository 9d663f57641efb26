import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The device flow (RFC 8628): a television or a command line shows a code and a QR, and the phone does the rest.
package struct DeviceService: Sendable {
    let context: ProviderContext
    /// Of codes that nobody has decided.
    let limit: WaitingLimit

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

    /// What somebody typed, as `waiting` has it. A code that none is counts against the place where it was typed, at all nodes: it is counted in the transaction
    /// that looks for it, and whoever typed it hears nothing before that is kept. One that is right writes the same rows, so that of many at the same moment
    /// no more are looked for than may be wrong. What can be no code counts for nothing, as nobody finds one by it; nor does one that ran out before anybody
    /// decided, as long as its row is there: whoever typed it read it somewhere.
    /// - Throws: ``UserCodesLocked``.
    package func waiting(forTyped text: String, from place: CallPlace, at server: ServerID, now: Instant) async throws -> PolledAuthorization? {
        guard let code = UserCode(typed: text) else {
            if let wait = try await context.wait(for: place, under: .userCodes, at: now) { throw UserCodesLocked(seconds: wait) }
            return nil
        }
        let mark = context.tryMark()
        switch try await context.store.write({ rows in try rows.look(for: code, typedAt: place, mark, at: server, now: now) }) {
        case .locked(let seconds): throw UserCodesLocked(seconds: seconds)
        case .wrong: return nil
        case .waiting(let waiting): return waiting
        }
    }

    /// What a typed code asks for, to be shown to the person before they decide; nil for a code that nobody waits with.
    package func waiting(for code: UserCode, at server: ServerID, now: Instant) async throws -> PolledAuthorization? {
        try await context.store.read { rows in try rows.waiting(for: code, at: server, now: now) }
    }
}

/// What became of a code that was typed.
private enum TypedCode: Sendable {
    /// It was not looked for, and counts for nothing.
    case locked(seconds: UInt64)
    case wrong
    case waiting(PolledAuthorization)
}

/// Too many codes were typed in one place that none are.
package struct UserCodesLocked: Error, Equatable, Sendable {
    /// After which one may be typed there again.
    package let seconds: UInt64

    package init(seconds: UInt64) { self.seconds = seconds }
}

extension OAuthRows {
    fileprivate func waiting(for code: UserCode, at server: ServerID, now: Instant) throws -> PolledAuthorization? {
        try polled(userCodeHash: code.hash, of: server).flatMap { $0.isWaiting(at: now) ? $0 : nil }
    }

    /// - Parameter mark: of this call: where it was counted, the first look was kept.
    fileprivate func look(for code: UserCode, typedAt place: CallPlace, _ mark: [UInt8], at server: ServerID, now: Instant) throws -> TypedCode {
        let tries = try tries(.userCodes, from: place)
        if tries.holds(mark) { return .wrong }
        if let wait = tries.wait(at: now) {
            let noticed = tries.noticing(now)
            if noticed != tries { try save(noticed, at: now) }
            return .locked(seconds: wait)
        }
        guard let found = try polled(userCodeHash: code.hash, of: server) else {
            try save(tries.adding(mark, at: now), at: now)
            return .wrong
        }
        try save(tries, at: now)
        return found.isWaiting(at: now) ? .waiting(found) : .wrong
    }

    /// What a client may ask of it.
    func allowed(_ scopes: ScopeSet, _ target: APIIdentifier?, of application: Application) throws -> ScopeSet {
        let api = try target.flatMap { try self.api($0, for: application) }
        guard target == nil || api != nil else { throw TokenRefusal.targetUnknown }
        let allowed = ScopeRule(application: application, api: api).allowed(of: scopes)
        guard !allowed.isEmpty else { throw TokenRefusal.nothingGranted }
        return allowed
    }
}
