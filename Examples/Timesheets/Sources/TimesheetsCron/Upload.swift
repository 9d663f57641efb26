import AsyncHTTPClient
import Foundation

/// A line of the file, as it is sent. What its values may be is the API's to say.
struct UploadRow: Encodable {
    static let header = ["reference", "employee", "date", "project", "hours"]

    let reference: String
    let employee: String
    let date: String
    let project: String
    let hours: Double

    static func rows(of text: String) throws(CronFailure) -> [UploadRow] {
        let records: [[String]]
        do { records = try CSV.records(of: text) } catch { throw .file("line \(error.line): that is no CSV") }
        guard records.first == header, records.count > 1 else {
            throw .file("the first line is \(header.joined(separator: ",")), and there are lines below it")
        }
        // Of a file that is still written, or was broken off, the last number may be half of one: 7 of 7.75.
        guard text.utf8.last == UInt8(ascii: "\n") else { throw .file("the last line has no end: that is not the whole file") }
        var rows: [UploadRow] = []
        for (index, record) in records.dropFirst().enumerated() {
            guard record.count == header.count, let hours = Double(record[4]), hours.isFinite else {
                throw .file("entry \(index + 1): it has five fields, and hours are a number")
            }
            rows.append(UploadRow(reference: record[0], employee: record[1], date: record[2], project: record[3], hours: hours))
        }
        return rows
    }
}

enum Upload {
    struct Outcome: Decodable {
        let added: Int
        let known: Int
    }

    private struct Body: Encodable { let entries: [UploadRow] }

    static func send(_ rows: [UploadRow], to api: String, token: String) async throws -> Outcome {
        var request = HTTPClientRequest(url: "\(api)/timesheets/upload")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(try JSONEncoder().encode(Body(entries: rows)))
        return try await Answer.json(Outcome.self, to: request, from: "the API")
    }
}

/// What comes back: JSON, or a refusal in the words of whoever gave it.
enum Answer {
    private struct Refusal: Decodable {
        let error: String?
        let description: String?
        let row: Int?

        enum CodingKeys: String, CodingKey {
            case error, row
            case description = "error_description"
        }

        var sentence: String { [error, description].compactMap { $0 }.joined(separator: ", ") }
    }

    private static let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .guarded)

    static func json<Value: Decodable>(_ type: Value.Type, to request: HTTPClientRequest, from who: String) async throws -> Value {
        let response = try await http.execute(request, timeout: .seconds(30))
        let bytes = Data(try await response.body.collect(upTo: 1_024 * 1_024).readableBytesView)
        guard response.status.code == 200 else {
            let refusal = try? JSONDecoder().decode(Refusal.self, from: bytes)
            throw CronFailure.refused(
                by: who, status: UInt(response.status.code), row: refusal?.row, refusal?.sentence ?? "nothing that can be read")
        }
        return try JSONDecoder().decode(type, from: bytes)
    }
}
