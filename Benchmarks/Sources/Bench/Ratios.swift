import Foundation

extension Bench {
    /// Prints what is aimed at, and returns it by name.
    /// - Parameter counted: the same operations under an emulator; nil where there was none.
    static func ratios(_ operations: Table, _ parts: Table, _ counted: Table?) -> [String: Double] {
        guard let session = operations["getSession"], let point = operations["our own hello + one point read"], let login = operations[Self.login]
        else { return [:] }
        var aims = ["getSession / (hello + point read)": session.nanoseconds / point.nanoseconds, "login, ms": login.nanoseconds / 1e6]
        print("\nAims")
        print(String(format: "  getSession / (hello + point read)  %.2f in time (aim: at most 1.5)", session.nanoseconds / point.nanoseconds))
        if let a = counted?["getSession"]?.instructions, let b = counted?["our own hello + one point read"]?.instructions {
            print(String(format: "                                     %.2f in instructions", a / b))
            aims["getSession / (hello + point read), instructions"] = a / b
        }
        print(String(format: "  a whole QR login with PIN          %.2f ms of both servers (aim: at most 4)", login.nanoseconds / 1e6))
        if let made = counted?[Self.login]?.parts.map({ LoginParts(counted: $0) }) {
            made.print()
            let (cryptography, sum) = (made.cryptography(parts) / 1e6, made.sum(parts, operations) / 1e6)
            print(String(format: "  that is %.2f ms of cryptography, and %.2f with commits and HTTP, each measured warm", cryptography, sum))
            (aims["cryptography of a login, ms"], aims["parts of a login, ms"]) = (cryptography, sum)
        }
        guardedRatios(operations, parts, &aims)
        providerRatios(operations, parts, &aims)
        return aims
    }

    /// What an API pays for knowing who calls, beside what it can't do without: its answer, and one signature.
    private static func guardedRatios(_ operations: Table, _ parts: Table, _ aims: inout [String: Double]) {
        guard let hello = operations["our own hello"], let verify = parts["P-256 verify"], let token = operations["an API checks a JWT, ES256"],
            let nonce = operations["an API checks a webNonce that it remembers"]
        else { return }
        let bound = (hello.nanoseconds + verify.nanoseconds) / token.nanoseconds
        aims["(hello + P-256 verify) / a JWT"] = bound
        print(String(format: "  (hello + P-256 verify) / a JWT     %.2f at an API (aim: at least 0.5)", bound))
        print(String(format: "  hello / a webNonce, remembered     %.2f at an API", hello.nanoseconds / nonce.nanoseconds))
    }

    /// What the provider's operations are made of, beside what they cost: HTTP, signatures of tokens, and what has to be on the disk before an answer.
    private static func providerRatios(_ operations: Table, _ parts: Table, _ aims: inout [String: Double]) {
        let made: [(String, signatures: Double, verified: Double, commits: Double)] = [
            ("JWKS", 0, 0, 0), ("discovery", 0, 0, 0), ("client_credentials, ES256", 1, 0, 0), ("introspection of a JWT", 0, 1, 0),
            ("a code for who is logged in", 0, 0, 1), ("exchange of a code, with PKCE", 2, 0, 1), ("refresh", 2, 0, 1),
        ]
        guard let hello = operations["our own hello"], let sign = parts["P-256 sign"], let verify = parts["P-256 verify"],
            let commit = parts["one durable row, alone"]
        else { return }
        print("\nThe provider beside its parts: our hello, a signature of each token, one durable commit")
        for part in made {
            guard let cost = operations[part.0] else { continue }
            let sum =
                hello.nanoseconds + part.signatures * sign.nanoseconds + part.verified * verify.nanoseconds + part.commits * commit.nanoseconds
            aims["parts / \(part.0)"] = sum / cost.nanoseconds
            print(String(format: "  %6.0f µs, its parts %6.0f µs  ", cost.nanoseconds / 1_000, sum / 1_000) + part.0)
        }
    }
}
