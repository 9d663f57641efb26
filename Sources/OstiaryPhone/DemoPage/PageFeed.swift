import Foundation
import HTTPService

/// What the page hears while it is open, one object in JSON a line: what passes between the parties, and which steps of the tour are done.
struct PageFeed: Sendable {
    /// Between two empty lines, which keep a connection open on which nothing happens.
    static let heartbeat = Duration.seconds(15)

    let witness: Witness
    let progress: TourProgress
    let pages: ProtocolPages

    /// From the first thing that is kept, for as long as somebody listens.
    var lines: AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let tasks = [
            Task { for await message in witness.messages { continuation.yield(line(of: message)) } },
            Task { for await done in progress.changes { continuation.yield(Self.line(of: done)) } },
            Task { while (try? await Task.sleep(for: Self.heartbeat)) != nil { continuation.yield("") } },
        ]
        continuation.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }

    static func line(of done: [TourStep]) -> String { JSONWriter.line { $0.object { $0.member("done", done.map(\.rawValue)) } } }

    func line(of message: WitnessedMessage) -> String {
        JSONWriter.line { writer in
            writer.object { writer in
                writer.member("number", number: message.number)
                writer.member("from", message.from.rawValue)
                writer.member("to", message.to.rawValue)
                writer.member("name", message.name)
                writer.member("wrapping", message.wrapping)
                writer.member("bytes", number: message.bytes)
                writer.member("sentence", message.sentence)
                writer.member("section", pages.address(of: message.section.page, message.section.anchor))
                writer.member("background", message.isBackground)
                writer.member("thief", message.isThiefs)
                writer.name("fields")
                writer.array(message.fields) { writer, field in Self.write(field, to: &writer) }
            }
        }
    }

    private static func write(_ field: SeenField, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", field.name)
            switch field.value {
            case .text(let text): writer.member("text", text)
            case .secret(let bytes): writer.member("secret", number: bytes)
            case .sealed(let bytes, let party):
                writer.member("sealed", number: bytes)
                writer.member("opens", party.rawValue)
            }
        }
    }
}
