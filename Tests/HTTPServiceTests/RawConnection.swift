import NIOCore
import NIOPosix

/// A TCP connection that sends whatever it is told to, valid or not.
enum RawConnection {
    /// Sends pieces with pauses between them and answers all that comes back until the server closes; nil if it does not close in time.
    static func exchange(
        port: Int, _ pieces: [[UInt8]], pause: Duration = .zero, endsOutput: Bool = false, patience: Duration = .seconds(300)
    ) async throws -> String? {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await withThrowingTaskGroup(of: String?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await converse(on: channel, pieces, pause: pause, endsOutput: endsOutput) }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            return try await group.next() ?? nil
        }
    }

    private static func converse(
        on channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ pieces: [[UInt8]], pause: Duration, endsOutput: Bool
    ) async throws -> String {
        try await channel.executeThenClose { inbound, outbound in
            async let answer = collect(inbound)
            do {
                for piece in pieces {
                    try await outbound.write(ByteBuffer(bytes: piece))
                    if pause > .zero { try await Task.sleep(for: pause) }
                }
                if endsOutput { outbound.finish() }
            } catch is ChannelError {
                // The server closed before it had everything; what it said is what counts.
            } catch is IOError {}
            return await answer
        }
    }

    private static func collect(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async -> String {
        var received = ByteBuffer()
        do {
            for try await var part in inbound { received.writeBuffer(&part) }
        } catch {
            // A reset ends the answer like a close does.
        }
        return String(buffer: received)
    }
}
