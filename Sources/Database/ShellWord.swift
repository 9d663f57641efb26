/// A name as a shell reads one word, for a command that an operator is told.
package func shellWord(_ name: String) -> String {
    let isPlain = name.first != "-" && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:".contains($0)) }
    return isPlain ? name : "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
