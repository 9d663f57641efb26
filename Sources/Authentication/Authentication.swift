// Authentication owns the rules of the authentication server: virtual servers, accounts, enrolments, sessions, second-factor attempts as this side
// sees them, presence. State machines are pure functions of a value, an event and a moment; services run one of them inside one transaction of the
// store and say what became of it.
// Values and machines are in Model/, rows in Ports/, the way to the second-factor server in Gateway/; the room of a feature has its checks and its
// service.
// What is not here: HTTP, SQL, JSON, clocks and randomness (parameters), the counting of PIN tries (SecondFactor).
// AuthenticationServices holds all services over one store. Start reading at Model/Sessions/SessionMachine.swift, then
// Ports/AuthenticationStore.swift, then Login/LoginService.swift with docs/protocol/login beside you.
