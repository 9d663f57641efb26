// History: what many callers of several nodes saw, and whether that can be.
//
// Owns: the one observer (`HistoryRecorder`, `ObservedCall`), the search for an order that explains what it saw (`OrderSearch`) with the counterexample that
// it makes small and draws (`Violation`), and the models, a page each (`SequentialModel`): what is stopped (`AliveUntilStopped`), what is good once
// (`RedeemedOnce`, `HandedInOnce`), what is counted (`BoundedCounter`, `NeverLower`), what is asked again (`SameOutcome`), a PIN that is replaced (`OnePIN`), and work that is
// one node's at a time (`FencedTurn`). Leaves to others: every call. It reads no clock, and does nothing but think.
// Start reading at `SequentialModel`, then `AliveUntilStopped`; docs/decisions/0053-histories.md says why.
