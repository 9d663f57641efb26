// Server: the listeners of a process, from an open port to an orderly stop.
//
// ServerRunner runs them and whatever else the process does; each is a Listener that ListenerService opens (HandedSockets, when another
// process has opened it) and that gives each connection, when HandOver brings it, to Answering, from where a request finds its route. What can be
// answered before that is answered by EarlyAnswers, where a listener has any, each connection in its turn (EarlyTurn) and each thread only so much at a time
// (TurnQueue); what ends before any route is RefusedHead; what every route owes to HTTP is MethodRules; who waits with a body is asked for it by Expectation; that
// the client has gone is told to whoever answers for long by Departure.
// How a connection ends when the server stops is Farewell. Why one does not start is Errors/ServerStartError; on which thread all of that is done,
// ConnectionThreads says.
// Start reading at ServerRunner.swift, then ListenerService.swift and Answering.swift.
