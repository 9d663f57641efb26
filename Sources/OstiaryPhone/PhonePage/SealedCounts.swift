/// Which sealed calls were taken, so that none is taken twice.
///
/// Calls of one page may overtake each other: of each page the highest number is known, and which of the 64 below and with it have been; what lies further
/// back counts as been (the window of RFC 4303 §3.4.3). A page that was loaded stays known until the program ends, in some dozen bytes; only whoever
/// has the address adds one.
actor SealedCounts {
    private struct Window {
        var highest: UInt32
        /// Bit n: the number n below the highest has been.
        var seen: UInt64
    }

    private var windows: [UInt64: Window] = [:]

    /// - Returns: whether this number of this sender is taken now, for the first time.
    func take(_ count: UInt32, of sender: UInt64) -> Bool {
        guard var window = windows[sender] else {
            windows[sender] = Window(highest: count, seen: 1)
            return true
        }
        if count > window.highest {
            let ahead = count - window.highest
            window.seen = ahead < 64 ? window.seen << UInt64(ahead) | 1 : 1
            window.highest = count
        } else {
            let behind = window.highest - count
            guard behind < 64, window.seen & (1 << UInt64(behind)) == 0 else { return false }
            window.seen |= 1 << UInt64(behind)
        }
        windows[sender] = window
        return true
    }
}
