import Database

func openInMemory() throws -> any Database { try SQLiteDatabase.inMemory() }
func openFile(_ path: String) throws -> any Database { try SQLiteDatabase.open(path: path) }
