import OstiaryProtocol

/// What an L2 asks besides the device key, as the phone brings it back in its offer.
struct AskedFactor: Equatable, Sendable {
    let need: SecondFactorNeed
    let methods: Methods

    /// - Parameter mayCache: whether what is remembered may be enough.
    init(_ demand: FactorDemand, under parameters: ServerParameters, mayCache: Bool) {
        if !demand.asksFactor(under: parameters.pinTimeout) {
            (need, methods) = (.none, [])
        } else if mayCache {
            (need, methods) = (.cacheAllowed, parameters.methods.union(.cached))
        } else {
            (need, methods) = (.needed, parameters.methods)
        }
    }

    /// What an offer told the phone.
    init(of offer: Offer) {
        need = offer.secondFactor
        methods = offer.methods
    }

    /// Whether the server would tell a phone the same now.
    func isStillTold(by demand: FactorDemand, under parameters: ServerParameters) -> Bool {
        self == AskedFactor(demand, under: parameters, mayCache: need == .cacheAllowed)
    }
}
