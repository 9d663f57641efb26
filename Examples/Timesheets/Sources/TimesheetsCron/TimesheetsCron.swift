import AsyncHTTPClient
import Foundation

/// `TimesheetsCron FILE.csv`: sends what a punch clock wrote to the API, by a token of this machine's own. It may be run again at any time, after a failure too:
/// every line has a reference, under which the API keeps it once. Lines that the API does not take beside what it has are told, and the others are there. Its settings
/// are environment variables (README.md).
@main
struct TimesheetsCron {
    /// Bytes of a file that can be one of a night.
    private static let longest = 16 * 1_024 * 1_024

    static func main() async {
        guard CommandLine.arguments.count == 2 else { end(64, ["usage: TimesheetsCron FILE.csv"]) }
        var batch = Batch()
        do {
            let settings = try CronSettings(ProcessInfo.processInfo.environment)
            let rows = try rows(of: CommandLine.arguments[1])
            let token = RunToken(settings)
            try await batch.send(rows) { rows in
                try await token.used { try await Upload.send(rows, to: settings.api, token: $0) }
            }
        } catch let error as CronFailure {
            end(error.mayPass ? 75 : 1, refusals(of: batch) + [error.sentence + kept(batch)])
        } catch {
            end(75, refusals(of: batch) + ["nobody answers now, try again later: \(error)\(kept(batch))"])
        }
        print("\(batch.added) added, \(batch.known) known before")
        if !batch.refused.isEmpty { end(65, refusals(of: batch)) }
    }

    private static func refusals(of batch: Batch) -> [String] { batch.refused.map(\.sentence) }

    private static func kept(_ batch: Batch) -> String { batch.kept == 0 ? "" : ". The \(batch.kept) entries before that part are there" }

    private static func rows(of path: String) throws -> [UploadRow] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= longest, let text = String(data: data, encoding: .utf8) else {
            throw CronFailure.file("\(path) cannot be read, is no UTF-8, or is longer than \(longest) bytes")
        }
        return try UploadRow.rows(of: text)
    }

    private static func end(_ status: Int32, _ lines: [String]) -> Never {
        // Some of them come from whoever answered, whom no terminal obeys.
        let plain = lines.map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 })) + "\n"
        }
        FileHandle.standardError.write(Data(plain.joined().utf8))
        exit(status)
    }
}
