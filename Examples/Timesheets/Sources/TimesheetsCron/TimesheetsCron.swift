import AsyncHTTPClient
import Foundation

/// `TimesheetsCron FILE.csv`: sends what a punch clock wrote to the API, by a token of this machine's own. It may be run again at any time, after a failure too:
/// every line has a reference, under which the API keeps it once. Its settings are environment variables (README.md).
@main
struct TimesheetsCron {
    /// As many entries as the API takes at once.
    private static let most = 1_000
    /// Bytes of a file that can be one of a night.
    private static let longest = 16 * 1_024 * 1_024

    static func main() async {
        guard CommandLine.arguments.count == 2 else { end(64, "usage: TimesheetsCron FILE.csv") }
        // How many entries are there, those of former parts of a long file.
        var sent = 0
        do {
            let settings = try CronSettings(ProcessInfo.processInfo.environment)
            let rows = try rows(of: CommandLine.arguments[1])
            var machine = try await MachineToken(settings).fetched()
            var (added, known) = (0, 0)
            for start in stride(from: 0, to: rows.count, by: most) {
                let part = Array(rows[start..<min(start + most, rows.count)])
                let outcome: Upload.Outcome
                do { outcome = try await Upload.send(part, to: settings.api, token: machine) } catch let error as CronFailure where error.isOfToken {
                    // A long file can take longer than a token lives.
                    machine = try await MachineToken(settings).fetched()
                    outcome = try await Upload.send(part, to: settings.api, token: machine)
                }
                added += outcome.added
                known += outcome.known
                sent += part.count
            }
            print("\(added) added, \(known) known before")
        } catch let error as CronFailure {
            end(error.mayPass ? 75 : 1, error.behind(sent).sentence + kept(sent))
        } catch {
            end(75, "nobody answers now, try again later: \(error)\(kept(sent))")
        }
    }

    private static func kept(_ sent: Int) -> String { sent == 0 ? "" : ". The \(sent) entries before that part are there" }

    private static func rows(of path: String) throws -> [UploadRow] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= longest, let text = String(data: data, encoding: .utf8) else {
            throw CronFailure.file("\(path) cannot be read, is no UTF-8, or is longer than \(longest) bytes")
        }
        return try UploadRow.rows(of: text)
    }

    private static func end(_ status: Int32, _ words: String) -> Never {
        // Some of them come from whoever answered, whom no terminal obeys.
        let plain = words.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        FileHandle.standardError.write(Data((String(String.UnicodeScalarView(plain)) + "\n").utf8))
        exit(status)
    }
}
