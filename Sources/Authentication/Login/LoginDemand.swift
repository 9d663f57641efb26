import OstiaryProtocol

/// What a server demands of a login besides the device key.
struct LoginDemand: Equatable, Sendable {
    let secondFactor: SecondFactorNeed
    let methods: Methods

    /// - Parameter mayCache: whether a proof of a while ago may be had.
    init(of parameters: ServerParameters, mayCache: Bool) {
        if parameters.pinTimeout < 0 {
            (secondFactor, methods) = (.none, [])
        } else if mayCache {
            (secondFactor, methods) = (.cacheAllowed, parameters.methods.union(.cached))
        } else {
            (secondFactor, methods) = (.needed, parameters.methods)
        }
    }

    /// What an offer told the phone.
    init(of offer: Offer) {
        secondFactor = offer.secondFactor
        methods = offer.methods
    }

    /// Whether the server would tell a phone the same now.
    func isStillTold(under parameters: ServerParameters) -> Bool {
        self == LoginDemand(of: parameters, mayCache: secondFactor == .cacheAllowed)
    }
}
