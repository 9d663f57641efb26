// Admin: what an operator says of applications, APIs, roles, users and accounts, and ends of what people let clients do, from a shell.
//
// Owns: the commands of `ostiary admin`, the calls of the REST API that they make (AdminCalls), the YAML that people write (YAMLReader, YAMLWriter), and
// how a difference is told (RegistryDifference); and the move of a stopped server's database to the other engine (MoveDatabaseCommand), with how it is told
// (MoveTeller, MoveEnding). Leaves to others: every rule, and the move itself (Database/Moving). What may be written the server decides, and says.
// Start reading at AdminCommand.swift, then RegistryCommands.swift and ApplyCommand.swift.
