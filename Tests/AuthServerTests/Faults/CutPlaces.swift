import Foundation
import OstiaryTesting

/// At which bytes of a login and its stop a connection is cut, as the environment asks for it.
///
/// `OSTIARY_CUT_BYTES` says how many of each way, or which:
/// * `6`: so many, drawn anew in each run;
/// * `all`: every one;
/// * `2000...3999`: every one of these, counted from 0. What there is not of them is left out, so the last of several ranges may be too long;
/// * `3/12`: every twelfth, from the third on. Twelve such shards are all of them, however long a login is in each of the sittings.
///
/// `OSTIARY_CUT_WAY` is one of the four ways, and has the others left alone: `authentication-said`, `authentication-heard`, `second-factor-said`,
/// `second-factor-heard`.
struct CutPlaces: Sendable {
    enum Choice: Equatable, Sendable {
        case drawn(Int)
        case all
        case range(ClosedRange<Int>)
        /// From 1.
        case shard(Int, of: Int)
    }

    /// A setting that means nothing. What is not understood is not taken for something else: a sitting of hours would have tried other bytes.
    struct Nonsense: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    static let ways = ["authentication-said", "authentication-heard", "second-factor-said", "second-factor-heard"]

    /// Of this process.
    static let asked = Result<CutPlaces, any Error> { try CutPlaces(ProcessInfo.processInfo.environment) }

    let choice: Choice
    /// As it was asked for.
    private let text: String
    /// Which of the four ways; nil for all.
    let way: String?

    init(_ environment: [String: String]) throws(Nonsense) {
        let (bytes, way) = (environment["OSTIARY_CUT_BYTES"] ?? "6", environment["OSTIARY_CUT_WAY"])
        guard let choice = Self.choice(bytes) else {
            throw Nonsense(description: "OSTIARY_CUT_BYTES=\(bytes) is no number, nor all, nor a range like 2000...3999, nor a shard like 3/12")
        }
        if let way, !Self.ways.contains(way) { throw Nonsense(description: "OSTIARY_CUT_WAY=\(way) is none of \(Self.ways.joined(separator: ", "))") }
        (self.choice, self.way, text) = (choice, way, bytes)
    }

    private static func choice(_ text: String) -> Choice? {
        if text == "all" { return .all }
        if let count = number(text) { return count > 0 ? .drawn(count) : nil }
        let ends = text.components(separatedBy: "...").map(number)
        if ends.count == 2, let first = ends[0], let last = ends[1], first <= last { return .range(first...last) }
        let parts = text.components(separatedBy: "/").map(number)
        if parts.count == 2, let place = parts[0], let count = parts[1], place >= 1, place <= count { return .shard(place, of: count) }
        return nil
    }

    /// Of digits alone.
    private static func number(_ text: String) -> Int? { text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil }

    func takes(_ way: String) -> Bool { self.way == nil || self.way == way }

    /// Which of so many bytes.
    func places(of length: Int, _ draw: inout SplitMix) -> [Int] {
        switch choice {
        case .drawn(let count) where count < length: (0..<count).map { _ in Int.random(in: 0..<length, using: &draw) }
        case .drawn, .all: Array(0..<length)
        case .range(let range): (0..<length).filter { range.contains($0) }
        case .shard(let place, let count): Array(stride(from: place - 1, to: length, by: count))
        }
    }

    /// How a run is made again.
    func told(seed: UInt64) -> String { if case .drawn = choice { "OSTIARY_SEED=\(seed)" } else { "OSTIARY_CUT_BYTES=\(text)" } }

    /// After how many minutes a test is taken for a hang: an hour where few bytes are drawn. One of many says how far it is, and has a week.
    var patience: Int { if case .drawn(let count) = choice, count <= 1_000 { Self.usualPatience } else { 7 * 24 * 60 } }

    private static let usualPatience = 60

    /// Of this process. What means nothing is refused at once, and waits for nothing.
    static var askedPatience: Int { (try? asked.get())?.patience ?? usualPatience }
}
