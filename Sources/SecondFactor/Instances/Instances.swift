// Instances: what the second-factor server knows of a phone's second factor, as values (protocol §7).
//
// Instance with its Counter is what is guarded; AttemptRecord, PendingKey and ResetRecord are what stands beside it in the database. Situation is what one
// decision may look at, Ruling what it answers: an outcome and the Changes to make. Policy and Times are its numbers. How tries are decided on is
// Tickets/, what a proof does is Proofs/.
// Start reading at Counter.swift, then Instance.swift and Situation.swift.
