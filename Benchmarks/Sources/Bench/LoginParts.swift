import Foundation

/// What a login is made of, as it was counted while it happened, and what all of that costs by itself.
struct LoginParts {
    /// Under emulation: ``Part`` by part.
    let counted: [Part: Double]

    /// Which measured part a counted one is, each once: an evaluation has its multiplications in itself. What neither is, statements and pages among it,
    /// is the login's own.
    private static let measured: [(Part, String)] = [
        (.p256Verifications, "P-256 verify"), (.p256Signatures, "P-256 sign"), (.ed25519Signatures, "Ed25519 sign"),
        (.ed25519Verifications, "Ed25519 verify"), (.x25519, "X25519"), (.x25519Keys, "X25519 key pair"), (.evaluations, "VOPRF evaluate with proof"),
    ]

    /// Nanoseconds of cryptography.
    func cryptography(_ parts: Table) -> Double {
        Self.measured.reduce(0) { $0 + (counted[$1.0] ?? 0) * (parts[$1.1]?.nanoseconds ?? 0) }
    }

    /// The same with one durable row for each commit, and our own hello for each message that was read: an exchange between two of our servers has two ends.
    func sum(_ parts: Table, _ operations: Table) -> Double {
        let commits = (counted[.commits] ?? 0) * (parts["one durable row, alone"]?.nanoseconds ?? 0)
        return cryptography(parts) + commits + (counted[.httpMessages] ?? 0) * (operations["our own hello"]?.nanoseconds ?? 0)
    }

    func print() {
        Swift.print("\nWhat both servers do for one QR login with PIN, counted while it happened (median)")
        for part in Part.allCases {
            Swift.print(String(format: "  %6.0f  ", counted[part] ?? 0) + part.name)
        }
    }
}
