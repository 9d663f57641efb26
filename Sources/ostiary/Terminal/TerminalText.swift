/// Text of others on a terminal of ours.
extension String {
    /// A line feed in what a server or a backend says must not begin a line that looks like one of ours: what follows it stands behind a mark that
    /// no line of ours begins with.
    var withMarkedContinuation: String { split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    | ") }
}
