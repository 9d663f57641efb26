// OstiaryProgram: what our two programs, `ostiary` and `ostiary-phone`, need of the process they are and of whoever started it.
//
// Start/        how a process begins and crashes, the room it must have, where its other program lies, and how a failure is told
// CommandLine/  which words are values and which are options, and where an option stands
// Terminal/     standard input and output, a byte or a line at a time, and rows that tell our words from those of others
// Leaves to others: every command, and everything that has a secret typed in (OstiaryPhone). It is in the servers' image, so nothing comes in here that
// brings a library along.
// Start reading at Start/ProgramRun.swift.
