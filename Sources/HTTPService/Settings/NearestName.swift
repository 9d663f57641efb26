/// The name that somebody probably meant who wrote `text`: the same but for case, dashes and dots, the one with the fewest letters changed, or one
/// that begins alike; nil when none is near.
package func nearestName(to text: String, among names: [String]) -> String? {
    let wanted = plain(text)
    guard !wanted.isEmpty else { return nil }
    if let same = names.first(where: { plain($0) == wanted }) { return same }
    guard wanted.count >= 3 else { return nil }
    let near = names.map { ($0, distance(plain($0), wanted)) }.filter { $0.1 <= max(1, wanted.count / 5) }
    if let nearest = near.min(by: { $0.1 < $1.1 }) { return nearest.0 }
    return names.first { wanted.count >= 4 && plain($0).starts(with: wanted.prefix(6)) }
}

private func plain(_ text: String) -> [Character] {
    text.lowercased().map { $0 == "-" || $0 == "." ? "_" : $0 }
}

/// How many letters have to be put in, left out or changed. Names are short, and longer ones are not looked at.
private func distance(_ first: [Character], _ second: [Character]) -> Int {
    guard max(first.count, second.count) <= 64 else { return .max }
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (column, other) in second.enumerated() {
            let change = diagonal + (letter == other ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, row[column] + 1, diagonal + 1)
        }
    }
    return row[second.count]
}
