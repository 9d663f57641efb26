import Authentication

/// What has to be done for a browser: by what its request comes to and by who is there.
enum VisitMove: Equatable, Sendable {
    /// Somebody has to log in with the phone, this strongly.
    case logIn(FactorDemand)
    /// The person who is logged in is asked this, on a page of ours.
    case ask(ConsentMatter)
    /// The client gets its code.
    case give
    /// The client gets none.
    case refuse(AuthorizeRefusal)

    init(_ step: AuthorizeStep, for arrival: VisitArrival) {
        switch step {
        case .give: self = .give
        case .refuse(let refusal): self = .refuse(refusal)
        case .consent(let missing): self = .ask(.consent(missing))
        case .confirm: self = .ask(.confirm)
        // Whoever has just logged in for this is not the one that the client means, and would not be the next time.
        case .logIn(let demand): self = arrival.isOwn ? .refuse(.loginRequired) : .logIn(demand)
        }
    }

    /// For a device that waits. Also of whoever is logged in it is asked: the device may be that of somebody else, who sent them here.
    static func device(for arrival: VisitArrival) -> VisitMove { arrival.login == nil ? .logIn(.policy) : .ask(.device) }
}

/// What a person is asked about.
enum ConsentMatter: Equatable, Sendable {
    /// Whether the client may have these, which it may not yet.
    case consent(ScopeSet)
    /// Whether this is the app that they mean.
    case confirm
    /// Whether a device may have what it asks for.
    case device
}
