/// The rows of a file on their way to the API, as many at a time as it takes. Of an upload it keeps all or nothing, and says which row is in the way.
///
/// A row that goes with nothing that the API has (a day that is full, a reference that was used for another entry) is left out, and the others go again without it:
/// what one person wrote twice holds up nobody else. One that is none at all is a fault of the file, of which nothing more is sent then.
struct Batch {
    struct Refused {
        /// In the file, from 1.
        let number: Int
        let row: UploadRow
        let words: String

        var sentence: String { "entry \(number), \(row.reference): \(words)" }
    }

    /// As many rows as the API takes at once.
    private static let most = 1_000
    /// So many rows may be left out, each at the cost of one more upload. More are no slip: somebody has to look at the file.
    private static let mostRefused = 100

    private(set) var added = 0
    private(set) var known = 0
    private(set) var refused: [Refused] = []
    /// How many are there, those of former parts of a long file and of runs before.
    var kept: Int { added + known }

    mutating func send(_ rows: [UploadRow], by upload: @Sendable ([UploadRow]) async throws -> Upload.Outcome) async throws {
        for start in stride(from: 0, to: rows.count, by: Self.most) {
            var left = rows[start..<min(start + Self.most, rows.count)].enumerated().map { (number: start + $0.offset + 1, row: $0.element) }
            while !left.isEmpty {
                do {
                    let outcome = try await upload(left.map(\.row))
                    added += outcome.added
                    known += outcome.known
                    break
                } catch CronFailure.refused(let who, let status, let row?, let words) where left.indices.contains(row - 1) {
                    let (number, refusedRow) = left.remove(at: row - 1)
                    guard status == 409 else { throw CronFailure.refused(by: who, status: status, row: number, words) }
                    refused.append(Refused(number: number, row: refusedRow, words: words))
                    guard refused.count < Self.mostRefused else { throw CronFailure.file("\(refused.count) entries were refused: look at the file") }
                }
            }
        }
    }
}
