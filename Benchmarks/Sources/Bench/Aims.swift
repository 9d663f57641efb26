import Foundation

extension Bench {
    /// All that was aimed at and was measured here.
    /// - Parameter counted: the operations under an emulator; nil where there was none.
    static func aims(_ measured: Measured, _ parts: Table, _ counted: Table?) -> [Aim] {
        Bound.aims(measured.bounds) + loginAims(measured, parts, counted) + providerAims(measured.operations, parts)
    }

    /// Of a login: in a crowd, as servers that are at work have it.
    private static func loginAims(_ measured: Measured, _ parts: Table, _ counted: Table?) -> [Aim] {
        let made = counted?[login]?.parts.map { LoginParts(counted: $0) }
        let crowd = "\(login), 64 phones at once"
        let here = made.map { $0.cryptography(parts) / 1e6 }
        let words = "5 ms where cryptography is 2.6" + (here.map { String(format: "; here it is %.2f", $0) } ?? "")
        // As much beside it as on the machine of the aim.
        let most = here.map { ($0 * 5 / 2.6 * 100).rounded() / 100 } ?? 5
        return [
            Aim(crowd, measured.crowds[crowd].map { $0.nanoseconds / 1e6 }, most: most, unit: "ms", note: words),
            Aim("\(login): commits that wait for the disk", made?.counted[.syncedCommits], most: 4),
        ]
    }

    /// Of the provider, of an API behind it, and of a page.
    private static func providerAims(_ operations: Table, _ parts: Table) -> [Aim] {
        let least = ["client_credentials, ES256": 0.4, "exchange of a code, with PKCE": 0.3, "refresh": 0.35]
        var aims = providerShares(operations, parts).compactMap { share in
            least[share.name].map { Aim("parts / \(share.name)", share.parts / share.cost, least: $0) }
        }
        if let bound = boundOfJWT(operations, parts) { aims.append(Aim("(hello + P-256 verify) / a JWT", bound, least: 0.5)) }
        let page = "a login page that is open, each second"
        if let cost = operations[page] { aims.append(Aim(page, cost.nanoseconds / 1_000, most: 50, unit: "µs")) }
        return aims
    }
}
