import Foundation
import OstiaryTesting
import Testing

@testable import Database

/// What a disk has after a power cut is made of what the system had: of the log everything up to the last wait, and of the rest whatever it had come to,
/// in any order.
@Suite("A power cut")
struct PowerCutTests {
    private enum Step: CaseIterable {
        case soft, hard
        /// A hard one that only looks.
        case look
    }

    /// What a caller has been told, and what the disk may have.
    private struct Moment {
        /// Notes that there are.
        let told: Int
        /// Those on which somebody relies.
        let relied: Int
        let log: [UInt8]
        let covered: Int
    }

    @Test(
        "A98 whatever of the log is lost behind the last wait, only soft commits are gone, and none is there without those before it",
        arguments: 1...3)
    func anyFrame(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let base = try await folder.closedDatabase()
        for moment in try await moments(of: base, in: folder, seed: seed) {
            let first = max(0, (moment.covered - Self.head) / Self.frame)
            let frames = (moment.log.count - Self.head) / Self.frame
            for cut in first...frames {
                let kept = Self.head + cut * Self.frame
                // Cut off, cut in the middle of a frame, and a hole with all that was written after it.
                var logs = [Array(moment.log.prefix(kept))]
                if cut < frames {
                    logs.append(Array(moment.log.prefix(kept + Self.frame / 2)))
                    logs.append(moment.log)
                    logs[2].replaceSubrange(kept..<(kept + Self.frame), with: [UInt8](repeating: 0, count: Self.frame))
                }
                for (number, log) in logs.enumerated() {
                    let left = try await notes(after: log, over: base, in: folder)
                    #expect(left == Array(0..<left.count), "none without those before it")
                    #expect((moment.relied...moment.told).contains(left.count), "\(number) at \(cut): \(left.count) of \(moment.told)")
                }
            }
        }
    }

    @Test("kill -9 loses nothing, of whatever kind: what the process has written the system has", arguments: 4...5)
    func killed(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let base = try await folder.closedDatabase()
        for moment in try await moments(of: base, in: folder, seed: seed) {
            #expect(try await notes(after: moment.log, over: base, in: folder).count == moment.told)
        }
    }

    private static let head = 32
    /// A page, and 24 bytes that say which one it is.
    private static let frame = 4_096 + 24

    /// Works on a database of these bytes, and looks after each step.
    private func moments(of base: Data, in folder: TemporaryFolder, seed: Int) async throws -> [Moment] {
        let path = folder.file("working-\(seed).sqlite")
        try base.write(to: URL(fileURLWithPath: path))
        let database = try SQLiteDatabase.open(path: path)
        // What a start leaves loose is nothing here.
        try await database.transaction { try $0.execute("UPDATE counter SET value = 0") }
        let log = try #require(await WatchedLog.watch(database, at: path))
        try await database.transaction { try $0.execute("UPDATE counter SET value = 1") }
        let random = SeededRandom("power cut \(seed)")
        var (told, relied) = (0, 0)
        var moments: [Moment] = []
        for _ in 0..<14 {
            switch Step.allCases[random.below(Step.allCases.count)] {
            case .soft:
                try await database.note(told, .soft)
                told += 1
            case .hard:
                try await database.note(told, .hard)
                told += 1
                relied = told
            case .look:
                let seen = try await database.transaction { try $0.query("SELECT id FROM note").count }
                #expect(seen == told)
                relied = seen
            }
            let (bytes, covered) = try log.look()
            moments.append(Moment(told: told, relied: relied, log: bytes, covered: covered))
        }
        try await database.close()
        return moments
    }

    /// The notes of a database that is opened after a cut.
    private func notes(after log: [UInt8], over base: Data, in folder: TemporaryFolder) async throws -> [Int] {
        let path = folder.file("found.sqlite")
        for side in ["", "-shm", "-wal", ".lock"] { try? FileManager.default.removeItem(atPath: path + side) }
        try base.write(to: URL(fileURLWithPath: path))
        try Data(log).write(to: URL(fileURLWithPath: path + "-wal"))
        let database = try SQLiteDatabase.open(path: path)
        let found = try await database.read { try $0.query("SELECT id FROM note ORDER BY id").map { try $0.int("id") } }
        try await database.close()
        return found
    }
}

extension TemporaryFolder {
    /// The file of a database that was closed with all in it.
    fileprivate func closedDatabase() async throws -> Data {
        let path = file("base.sqlite")
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(sampleSchema)
        try await database.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }
}

extension Database {
    /// A note with so much in it that it takes frames of its own.
    fileprivate func note(_ number: Int, _ durability: Durability) async throws {
        try await transaction(durability) { connection in
            try connection.execute(
                "INSERT INTO note (id, counter, body) VALUES ($1, 'hits', $2)",
                [SQLValue(number), .blob([UInt8](repeating: UInt8(number), count: 5_000))])
        }
    }
}
