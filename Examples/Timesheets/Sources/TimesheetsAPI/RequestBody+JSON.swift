import Foundation
import Hummingbird

extension Request {
    /// The body as JSON of one shape.
    /// - Parameter most: bytes; of a longer one no more is read.
    /// - Throws: ``Fault``; what breaks the connection.
    func json<Value: Decodable>(_ type: Value.Type, most: Int) async throws -> Value {
        var data = Data()
        for try await part in body {
            guard data.count + part.readableBytes <= most else { throw Fault.tooLarge }
            data.append(contentsOf: part.readableBytesView)
        }
        do { return try JSONDecoder().decode(type, from: data) } catch let error as DecodingError { throw Fault(error) }
    }
}

extension Fault {
    /// Which member it is, where it is one of an entry.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context): self.init(.missing, of: context.codingPath + [key])
        case .typeMismatch(_, let context), .valueNotFound(_, let context): self.init(.wrongType, of: context.codingPath)
        // JSON that is none, or a number that no number here can be.
        case .dataCorrupted(let context): self.init(.wrongType, of: context.codingPath)
        @unknown default: self = .malformed
        }
    }

    private init(_ problem: Problem, of path: [any CodingKey]) {
        guard let field = path.last, field.intValue == nil, field.stringValue != "entries" else {
            self = .malformed
            return
        }
        self = .entry(field: field.stringValue, problem, row: path.lazy.compactMap(\.intValue).first.map { $0 + 1 })
    }
}
