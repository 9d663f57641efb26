/// What a policy says of a caller.
enum PolicyVerdict: Equatable, Sendable {
    case met
    /// More scopes, or another person.
    case forbidden(ResourceRefusal.Forbidden)
    /// The same person, once they have logged in like this.
    case stepUp(ResourceRefusal.StepUp)
}

extension AccessPolicy {
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - tolerance: seconds by which clocks may differ.
    func verdict(on caller: VerifiedCaller, at now: UInt64, tolerance: UInt64) -> PolicyVerdict {
        switch self {
        case .anyCaller: .met
        case .scope(let scope): caller.has(scope: scope) ? .met : .forbidden(.init(scopes: [scope]))
        case .permission(let name): caller.has(permission: name) ? .met : .forbidden(.init(others: [name]))
        case .provedBy(let evidence): caller.provedBy == evidence ? .met : .forbidden(.init(others: ["\(evidence)"]))
        case .login(let acr, let maxAge): Self.login(acr, maxAge, caller, at: now, tolerance: tolerance)
        case .rule(let name, let holds): holds(caller) ? .met : .forbidden(.init(others: [name]))
        case .all(let policies): Self.all(policies.map { ($0, $0.verdict(on: caller, at: now, tolerance: tolerance)) })
        case .any(let policies): Self.any(policies.map { $0.verdict(on: caller, at: now, tolerance: tolerance) })
        }
    }

    private static func login(_ acr: [String], _ maxAge: UInt64?, _ caller: VerifiedCaller, at now: UInt64, tolerance: UInt64) -> PolicyVerdict {
        // What tells neither how nor when may have no login behind it: a machine's token.
        guard caller.acr != nil || caller.authTime != nil else { return .stepUp(.init(acrValues: acr, maxAge: maxAge)) }
        let isStrong = acr.isEmpty || caller.acr.map { acr.contains($0) } ?? false
        let isRecent = maxAge.map { wasRecent(caller.authTime, $0, at: now, tolerance: tolerance) } ?? true
        return isStrong && isRecent ? .met : .stepUp(.init(acrValues: acr, maxAge: maxAge))
    }

    private static func wasRecent(_ authTime: UInt64?, _ maxAge: UInt64, at now: UInt64, tolerance: UInt64) -> Bool {
        guard let authTime else { return false }
        guard authTime < now else { return authTime - now <= tolerance }
        let (most, isEndless) = maxAge.addingReportingOverflow(tolerance)
        return isEndless || now - authTime <= most
    }

    /// What is forbidden in any case is told first: nobody logs in anew to be refused then. The scopes are all that the route needs, so that a client that
    /// asks for them has the ones that it had as well (RFC 6750 §3).
    private static func all(_ parts: [(policy: AccessPolicy, verdict: PolicyVerdict)]) -> PolicyVerdict {
        var scopes: Set<String> = []
        var others: Set<String> = []
        var isForbidden = false
        var stepUp: ResourceRefusal.StepUp?
        for part in parts {
            switch part.verdict {
            case .met: break
            case .forbidden(let missing):
                isForbidden = true
                scopes.formUnion(missing.scopes)
                others.formUnion(missing.others)
            case .stepUp(let wanted): stepUp = stepUp.map { $0.and(wanted) } ?? wanted
            }
        }
        guard isForbidden else { return stepUp.map { .stepUp($0) } ?? .met }
        // Where a scope is missing; where only something else is, none would help.
        if !scopes.isEmpty { for part in parts { scopes.formUnion(part.policy.neededScopes) } }
        return .forbidden(.init(scopes: scopes, others: others))
    }

    /// The way that is nearest is told: a login before scopes, scopes before what only an operator can change.
    private static func any(_ verdicts: [PolicyVerdict]) -> PolicyVerdict {
        verdicts.min { $0.rank < $1.rank } ?? .forbidden(.init())
    }

    /// The scopes that are needed in any case.
    private var neededScopes: Set<String> {
        switch self {
        case .scope(let scope): [scope]
        case .all(let policies): policies.reduce(into: []) { $0.formUnion($1.neededScopes) }
        case .anyCaller, .permission, .provedBy, .login, .rule, .any: []
        }
    }
}

extension PolicyVerdict {
    fileprivate var rank: Int {
        switch self {
        case .met: 0
        case .stepUp: 1
        case .forbidden(let missing): missing.scopes.isEmpty ? 3 : 2
        }
    }
}

extension ResourceRefusal.StepUp {
    /// A login that is right for both: the words that both take, and the shorter time. Where they have no word in common, those of the first.
    fileprivate func and(_ other: Self) -> Self {
        let ages = [maxAge, other.maxAge].compactMap { $0 }
        guard !acrValues.isEmpty else { return Self(acrValues: other.acrValues, maxAge: ages.min()) }
        let common = acrValues.filter { other.acrValues.isEmpty || other.acrValues.contains($0) }
        return Self(acrValues: common.isEmpty ? acrValues : common, maxAge: ages.min())
    }
}
