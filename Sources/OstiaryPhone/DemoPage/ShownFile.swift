import Foundation

/// The bytes in the code that the website shows, in a file: what a phone in a terminal is given in the place of a picture.
struct ShownFile: Sendable {
    private let file: URL

    init(_ file: URL) { self.file = file }

    /// Writes what is shown whenever it has changed, and removes it when nothing is, until the task is cancelled.
    func follow(_ shown: ShownCode) async throws {
        var last: [UInt8]?
        while true {
            let now = shown.symbol()
            if now != last {
                if let now {
                    try? Data(now).write(to: file, options: .atomic)
                } else {
                    try? FileManager.default.removeItem(at: file)
                }
                last = now
            }
            try await Task.sleep(for: .milliseconds(400))
        }
    }
}
