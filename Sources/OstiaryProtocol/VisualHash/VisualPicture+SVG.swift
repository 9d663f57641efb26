extension VisualPicture {
    /// One rectangle of paper and one path of ink, a unit a tile; it scales to any size. `label` is plain text from our own word list.
    func svg(label: String) -> String {
        var path = ""
        for (row, tiles) in tiles.enumerated() {
            var column = 0
            while column < tiles.count {
                let run = tiles[column...].prefix { $0 }.count
                if run > 0 { path += "M\(column) \(row)h\(run)v1h-\(run)z" }
                column += max(run, 1)
            }
        }
        let (width, height) = (Self.width, Self.height)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" shape-rendering="crispEdges" role="img" \
            aria-label="\(label)"><rect width="\(width)" height="\(height)" fill="\(paper.hex)"/><path fill="\(ink.hex)" d="\(path)"/></svg>
            """
    }
}
