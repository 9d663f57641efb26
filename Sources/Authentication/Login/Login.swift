// Login: from a link that a phone was handed to an accepted or refused login (protocol §6).
//
// L1 is answered from rows and keeps none (LoginQuestion); L5 is checked in the order of the specification (LoginAdmission),
// then written down once and told to all who wait (LoginService+Decision). L7, what a phone says of a login that it gave up, is
// LoginService+State. Which links are taken is LinkRule; how strongly a login asks, and whether what is remembered is enough, is Model/Factors/.
// What a device shows becomes a link to a login in VerificationService. What a session is, and every state it may be in, is Model/Sessions/; how a
// try of the PIN is counted is SecondFactor/.
// Start reading at LoginService.swift, with docs/protocol/login.md beside you.
