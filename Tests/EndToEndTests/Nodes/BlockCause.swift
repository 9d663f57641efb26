import OstiaryTesting

/// How many tries of one phone may have been counted when it was blocked: those that were told as wrong, and those whose answer nobody heard. A try is
/// counted before it is evaluated, and only a right PIN gives tries back, or an operator.
///
/// It may be fewer: digits that are entered again while one question is open are the same try. A block after fewer than the most has no cause.
enum BlockCause {
    /// - Parameter tries: of one phone until it was blocked, in the order in which they were made.
    static func mostCounted(in tries: [BoundedCounter.Call]) -> Int {
        tries.reduce(0) { count, call in
            switch (call.action, call.outcome) {
            case (.spend, .unknown), (.spend, .answered(.count, _)): count + 1
            case (.succeed, .answered(.done, _)), (.reset, .answered(.done, _)): 0
            // What was refused was not counted, and a success that nobody heard of may not have been one.
            default: count
            }
        }
    }
}
