import Hummingbird

/// What a person may read.
struct Payslip: ResponseEncodable, Sendable {
    let of: String
    let month: String
}

/// What a person may have paid.
struct Payment: Decodable, Sendable {
    let account: String
    let cents: Int
}

/// All that was paid, in memory.
actor Payments {
    private var paid: [(payment: Payment, person: String)] = []

    /// - Returns: its number.
    func add(_ payment: Payment, by person: String) -> Int {
        paid.append((payment: payment, person: person))
        return paid.count
    }
}
