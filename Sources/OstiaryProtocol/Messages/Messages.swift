// Messages: every message of AP1 and of the two servers among themselves, as docs/protocol lays them out, field by field.
//
// Enrolment (E1 to E4, W1), Login with LoginQuestion and Offer (L1 to L7), SecondFactor and SecondFactorChange (M1 to M4), Presence (pings
// and stops), Notice; between the servers SecondFactorCall and SecondFactorOrder with what they carry (BetweenServers, Leave, Probe).
// Transcript has the hashes that tie one step to the next. A test holds fields, order and sizes to the fences of docs/protocol.
// Start reading at Login.swift, with docs/protocol/login.md beside you.
