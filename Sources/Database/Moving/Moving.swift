// Moving: all rows of a server's database to one of another engine, in one go that may be ended at any point.
//
// DatabaseMove says the steps. A target carries a mark (MoveMark) from before its first table to the end, by which the same move is taken up again and
// servers keep away. Tables and their keys come from the engines' catalogues (TableShape), rows go over in batches by key (RowCopy), and at the end both
// sides are read anew, each by itself, and compared (TableDigest). docs/decisions/0048 says why.
// Start reading at DatabaseMove.swift, then MoveMark.swift.
