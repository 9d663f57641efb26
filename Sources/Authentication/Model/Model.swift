// Model: what the authentication server knows, as values by feature, and the machines that say which state follows which: pure functions of a value,
// an event and a moment. An account is in Accounts/, an invitation on its way to one in Enrolment/, the numbers and receipts of a second factor in
// SecondFactor/, a virtual server with its keys in Servers/, a login in Sessions/, and how strongly it asks in Factors/.
// Nothing here knows the store: rows are in Ports/, and what is done with values in one transaction is in the rooms of the features.
// Start reading at Sessions/SessionMachine.swift, then Enrolment/EnrolmentMachine.swift and SecondFactor/AttemptSequence.swift.
