import Authentication
import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 90: whoever can cut the way to a database, anywhere in a login and the stop after it.
@Suite("A database whose connection is cut", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(CutPlaces.askedPatience)))
struct CutConnectionTests {
    /// Which bytes are drawn: others in each run; OSTIARY_SEED=n draws those of a run again that has said n. CutPlaces says how to have others.
    private static let seed = ProcessInfo.processInfo.environment["OSTIARY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)

    /// One phone that logs in and out over and over, while something is cut.
    private struct Walk {
        let stage: FaultyServers
        let phone: EnrolledPhone
        private var logins = 0
        private let acceptedBefore: Int
        /// Bytes that passed in the direction of the last cut.
        private(set) var passed = 0

        init(_ stage: FaultyServers) async throws {
            self.stage = stage
            phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            acceptedBefore = try await stage.accepted()
        }

        /// A login and a stop with a cut somewhere: one login, one try that was given back, and nobody is logged in after it.
        /// - Returns: whether the cut was made.
        mutating func round(_ socket: CuttingSocket, _ cut: CuttingSocket.Cut) async throws -> Bool {
            let servers = stage.servers
            servers.clock.advance(1)
            let nonce = try servers.nonce()
            let link = try await servers.link(nonce)
            socket.cut(cut)
            let (status, session) = try await phone.logInPatiently(link)
            #expect(status == .ok, "\(cut)")
            try await phone.stopPatiently(try #require(session))
            let wasCut = socket.hasCut
            passed = socket.spare()
            logins += 1
            #expect(try await servers.status(of: nonce).loggedIn == false, "\(cut)")
            let counted = try await stage.counted()
            #expect(counted.evaluations == logins && counted.highest == logins && counted.proven == logins, "\(cut): \(counted)")
            #expect(try await stage.accepted() - acceptedBefore == logins, "\(cut)")
            return wasCut
        }
    }

    @Test(
        "A90 cut before or behind any turn of a login and its stop, of either database: one login, one try, and a stop that was acknowledged holds",
        arguments: [true, false])
    func turns(ofSecondFactor: Bool) async throws {
        try await FaultyServers.run { stage async throws in
            var walk = try await Walk(stage)
            let socket = ofSecondFactor ? stage.secondFactor.socket : stage.authentication.socket
            // Before a turn is behind the one before it, but for the answer.
            let cuts: [(make: (Int) -> CuttingSocket.Cut, step: Int)] = [(CuttingSocket.Cut.afterTurn, 1), (CuttingSocket.Cut.beforeTurn, 3)]
            for cut in cuts {
                var turn = 0
                while try await walk.round(socket, cut.make(turn)) { turn += cut.step }
                #expect(turn >= 8)
            }
        }
    }

    @Test("A90 cut before and behind COMMIT, of either database: the same", arguments: [true, false])
    func commits(ofSecondFactor: Bool) async throws {
        try await FaultyServers.run { stage async throws in
            var walk = try await Walk(stage)
            let socket = ofSecondFactor ? stage.secondFactor.socket : stage.authentication.socket
            for cut in [CuttingSocket.Cut.before("COMMIT"), .after("COMMIT")] {
                let wasCut = try await walk.round(socket, cut)
                #expect(wasCut)
            }
        }
    }

    @Test("A90 cut at a byte, drawn of all that either database says and hears in a login and its stop: the same", arguments: [true, false])
    func bytes(ofSecondFactor: Bool) async throws {
        let (asked, whose) = (try CutPlaces.asked.get(), ofSecondFactor ? "second-factor" : "authentication")
        let ways = ["said", "heard"].filter { asked.takes("\(whose)-\($0)") }
        guard !ways.isEmpty else { return }
        try await FaultyServers.run { stage async throws in
            var walk = try await Walk(stage)
            let socket = ofSecondFactor ? stage.secondFactor.socket : stage.authentication.socket
            var draw = SplitMix(seed: Self.seed &* 2 &+ (ofSecondFactor ? 0 : 1))
            for way in ways {
                let cut = way == "said" ? CuttingSocket.Cut.said : CuttingSocket.Cut.heard
                let length = try await Self.length(socket, cut, &walk)
                #expect(length > 1_000)
                let places = asked.places(of: length, &draw)
                print("cuts: \(asked.told(seed: Self.seed)), \(places.count) of \(length) bytes \(way) by the \(whose) server")
                for (index, place) in places.enumerated() {
                    _ = try await walk.round(socket, cut(place))
                    Self.tell(index + 1, of: places.count, "byte \(place) of \(length) \(way) by the \(whose) server")
                }
            }
        }
    }

    /// Says now and then how far a long sitting is, which may be taken up there by a range.
    private static func tell(_ done: Int, of all: Int, _ place: String) {
        guard done.isMultiple(of: 500), done < all else { return }
        FileHandle.standardError.write(Data("cuts: \(done) of \(all), the last at \(place)\n".utf8))
    }

    /// How many bytes pass where nothing is cut.
    private static func length(_ socket: CuttingSocket, _ cut: (Int) -> CuttingSocket.Cut, _ walk: inout Walk) async throws -> Int {
        _ = try await walk.round(socket, cut(Int.max - 1_000_000))
        return walk.passed
    }
}
