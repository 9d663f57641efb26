// SQLite: the seam of Database over SQLite in WAL mode, opened by GRDB.
//
// SQLiteWriter is the one writer: transactions that arrive while a commit is under way share the next one (CommitGroup), each behind a
// savepoint of its own. LogStanding is what commits wait for: the disk, or nothing, where nobody relies on them; LogMending is what becomes
// of a log of which the disk may lack a part, by LogFrames, which knows what must be in it. SQLiteReaders read at once, beside it. ProcessLock keeps other processes away, FileIdentity
// notices when another file took the place of ours, CleanStop says whether the file has to be checked at a start, DiskProbe finds a full
// disk before a transaction does, WritingRight tells an operator who is to have a file that may not be written, or a key file that may not be read
// (FileReasons has the sentences), FileAttribute of one that `chattr` keeps from all, FileWay of a link or a file in the way to it, ServerFiles has the
// names of what a server keeps. DatabaseFile tells a file that is not there from one that may not be looked at. TargetPlace is what a move that is refused
// leaves of its target: nothing.
// Start reading at SQLiteDatabase.swift, then SQLiteWriter.swift.
// Whoever watches rows hears of what the writer changes by SQLiteRowWatch, which asks SQLite itself.
