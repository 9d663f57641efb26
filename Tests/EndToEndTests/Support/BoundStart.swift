import Foundation
import Testing

/// A start by a user whom modes of files keep from what they say, whoever runs the test.
enum BoundStart {
    /// Takes from root what lets it read and write whatever a mode says.
    private static let setpriv = "/usr/bin/setpriv"

    static var isPossible: Bool { geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv) }

    /// Has it say in one line why it ends, and what to do.
    /// - Parameter isOnlyIdentity: whether it is asked for its identity, and would end then; a whole start reads more settings.
    static func expectTold(
        _ arguments: [String], _ environment: [String: String] = [:], isOnlyIdentity: Bool = true, saying words: String
    ) async throws {
        let program = try Self.program(arguments + (isOnlyIdentity ? ["--print-identity"] : []), environment)
        #expect(try await program.end() == 1)
        #expect(program.complaintLines.count == 1 && program.output.isEmpty, "\(program.complaints)")
        #expect(program.complaints.contains(words), "\(program.complaints)")
    }

    /// Such a start.
    static func program(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Program {
        let bound = "exec \(setpriv) --bounding-set=-dac_override,-dac_read_search --inh-caps=-all \"$0\" \"$@\""
        return try Program(arguments, environment: environment, shell: geteuid() == 0 ? bound : nil)
    }
}
