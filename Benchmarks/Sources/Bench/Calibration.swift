import Foundation

/// What this machine does in this minute, by a program of others: `openssl speed`. Where its figures differ within a run, so do all.
enum Calibration {
    private static let algorithms = ["ecdsap256", "ed25519", "ecdhx25519"]

    /// Some five seconds.
    /// - Parameter when: words for when it was.
    static func measure(_ when: String, into table: inout Table) {
        let speed = ["speed", "-mr", "-seconds", "1"] + algorithms
        guard let openssl = Peers.find("openssl"), let told = try? Process.output(of: openssl, speed, errors: .nullDevice) else {
            return print("\nThere is no openssl on the PATH: nothing says how fast this machine is now.")
        }
        for (name, rate) in rates(told) {
            table.add("\(name), \(when)", Cost(nanoseconds: 1e9 / rate), "")
        }
    }

    /// Of each operation how many went through in a second of the processor, from lines like `+F4:3:256:34650.0:12915.0`: a kind, a number, bits, a name
    /// that Edwards curves have, and rates.
    private static func rates(_ told: String) -> [(String, Double)] {
        told.split(separator: "\n").flatMap { line -> [(String, Double)] in
            let fields = line.split(separator: ":").map(String.init)
            func rate(_ place: Int) -> Double? { fields.indices.contains(place) ? Double(fields[place]).flatMap { $0 > 0 ? $0 : nil } : nil }
            let found: [(String, Double?)] =
                switch fields.first {
                case "+F4": [("P-256 sign", rate(3)), ("P-256 verify", rate(4))]
                case "+F5": [("X25519", rate(3))]
                case "+F6": [("Ed25519 sign", rate(4)), ("Ed25519 verify", rate(5))]
                default: []
                }
            return found.compactMap { name, rate in rate.map { (name, $0) } }
        }
    }
}
