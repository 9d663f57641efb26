// SecondFactor: the rules of the second-factor server (protocol §7, docs/protocol/second-factor.md).
//
// Owns: what an instance is, how tries are counted, when a try is refused, what a proof changes, how an instance is reset and closed.
// SecondFactorService answers the calls of authentication servers over one store, one evaluator and the server's own keys.
// Every rule is a function of the rows it may look at, the message, a given time and the policy; it answers an outcome and the changes
// to make. The service of its feature reads, asks the rule and makes the changes in one transaction: `store.write { rows in … }`.
// Leaves to others: HTTP, SQL, keys at rest, the evaluation itself and the clock (all in SecondFactorServer).
// Start reading at Calls/SecondFactorService.swift and Calls/CallContext+Ticket.swift, then Instances/Counter.swift, Tickets/TicketRules.swift and
// Proofs/ProofRules.swift; the ports are in Ports/.
