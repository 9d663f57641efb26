import Foundation

extension Bench {
    /// Prints what operations cost beside what they are made of, and returns it by name. What of it was aimed at is ``aims(_:_:_:)``.
    /// - Parameter counted: the same operations under an emulator; nil where there was none.
    static func ratios(_ operations: Table, _ parts: Table, _ counted: Table?) -> [String: Double] {
        guard let session = operations["getSession"], let point = operations["our own hello + one point read"], let login = operations[Self.login]
        else { return [:] }
        var ratios = ["getSession / (hello + point read)": session.nanoseconds / point.nanoseconds, "login, ms": login.nanoseconds / 1e6]
        print("\nBeside what they are made of")
        print(String(format: "  getSession / (hello + point read)  %.2f in time", session.nanoseconds / point.nanoseconds))
        if let a = counted?["getSession"]?.instructions, let b = counted?["our own hello + one point read"]?.instructions {
            print(String(format: "                                     %.2f in instructions", a / b))
            ratios["getSession / (hello + point read), instructions"] = a / b
        }
        if let made = counted?[Self.login]?.parts.map({ LoginParts(counted: $0) }) {
            made.print()
            let (cryptography, sum) = (made.cryptography(parts) / 1e6, made.sum(parts, operations) / 1e6)
            print(String(format: "  that is %.2f ms of cryptography, and %.2f with commits and HTTP, each measured warm", cryptography, sum))
            (ratios["cryptography of a login, ms"], ratios["parts of a login, ms"]) = (cryptography, sum)
        }
        guardedRatios(operations, parts, &ratios)
        print("\nThe provider beside its parts: our hello, a signature of each token, one durable commit")
        for share in providerShares(operations, parts) {
            ratios["parts / \(share.name)"] = share.parts / share.cost
            print(String(format: "  %6.0f µs, its parts %6.0f µs  ", share.cost / 1_000, share.parts / 1_000) + share.name)
        }
        return ratios
    }

    /// What an API pays for knowing who calls, beside what it can't do without: its answer, and one signature.
    static func boundOfJWT(_ operations: Table, _ parts: Table) -> Double? {
        guard let hello = operations["our own hello"], let verify = parts["P-256 verify"], let token = operations["an API checks a JWT, ES256"]
        else { return nil }
        return (hello.nanoseconds + verify.nanoseconds) / token.nanoseconds
    }

    private static func guardedRatios(_ operations: Table, _ parts: Table, _ ratios: inout [String: Double]) {
        guard let bound = boundOfJWT(operations, parts), let hello = operations["our own hello"],
            let nonce = operations["an API checks a webNonce that it remembers"]
        else { return }
        ratios["(hello + P-256 verify) / a JWT"] = bound
        print(String(format: "  (hello + P-256 verify) / a JWT     %.2f at an API", bound))
        print(String(format: "  hello / a webNonce, remembered     %.2f at an API", hello.nanoseconds / nonce.nanoseconds))
    }

    /// An operation of the provider, and what its parts cost by themselves.
    struct Share {
        let name: String
        let cost: Double
        let parts: Double
    }

    /// What the provider's operations are made of, beside what they cost: HTTP, signatures of tokens, and what has to be on the disk before an answer.
    static func providerShares(_ operations: Table, _ parts: Table) -> [Share] {
        let made: [(String, signatures: Double, verified: Double, commits: Double)] = [
            ("JWKS", 0, 0, 0), ("discovery", 0, 0, 0), ("client_credentials, ES256", 1, 0, 0), ("introspection of a JWT", 0, 1, 0),
            ("a code for who is logged in", 0, 0, 1), ("exchange of a code, with PKCE", 2, 0, 1), ("refresh", 2, 0, 1),
        ]
        guard let hello = operations["our own hello"], let sign = parts["P-256 sign"], let verify = parts["P-256 verify"],
            let commit = parts["one durable row, alone"]
        else { return [] }
        return made.compactMap { part in
            operations[part.0].map { cost in
                let signatures = part.signatures * sign.nanoseconds + part.verified * verify.nanoseconds
                return Share(
                    name: part.0, cost: cost.nanoseconds, parts: hello.nanoseconds + signatures + part.commits * commit.nanoseconds)
            }
        }
    }
}
