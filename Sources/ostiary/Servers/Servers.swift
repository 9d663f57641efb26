// Servers: the commands that run the two servers, and what a start makes, takes or refuses before a node is built.
//
// ServeCommand and SecondFactorCommand are the programs; ServerStorage opens what a server keeps (OpenedStorage). What is wrong with a place is told by the
// errors beside it: WrongSetting (what a URL says leads nowhere), OtherServersDatabase (the two were exchanged), LostDatabase (there was one), OtherDatabase
// (the keys have run with another), OtherServersFolder (a mistyped --data). DatabaseMark is the file beside a key file by which LostDatabase and OtherDatabase
// know. Which routes a server has, and what it does, is in AuthServer and SecondFactorServer.
// Start reading at ServerStorage.swift.
