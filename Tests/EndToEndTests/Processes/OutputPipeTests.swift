import Foundation
import Testing

@testable import OstiaryPhone

@Suite("The last word of a program, which is waited for", .timeLimit(.minutes(10)))
struct OutputPipeTests {
    private static func write(_ text: String, to pipe: OutputPipe) {
        let bytes = Array(text.utf8)
        let count = Foundation.write(pipe.writingEnd, bytes, bytes.count)
        #expect(count == bytes.count)
    }

    @Test("All that wait are told when the last writer is gone, and then all of it is there; whoever waits afterwards is told at once")
    func told() async throws {
        let pipe = try OutputPipe()
        let waiting = (0..<4).map { _ in
            Task {
                await pipe.end()
                return pipe.text
            }
        }
        for part in ["one ", "two"] { Self.write(part, to: pipe) }
        #expect(!pipe.isAtEnd)
        pipe.closeWritingEnd()
        for task in waiting { #expect(await task.value == "one two") }
        await pipe.end()
        #expect(pipe.isAtEnd)
    }

    @Test("Who is cancelled, before waiting or while, hears the last word all the same")
    func cancelled() async throws {
        let pipe = try OutputPipe()
        let waiting = (0..<2).map { _ in
            Task {
                await pipe.end()
                return pipe.isAtEnd
            }
        }
        for task in waiting { task.cancel() }
        Self.write("word", to: pipe)
        pipe.closeWritingEnd()
        for task in waiting { #expect(await task.value) }
        #expect(pipe.text == "word")
    }
}
