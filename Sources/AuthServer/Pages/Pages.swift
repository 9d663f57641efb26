// Pages: what a browser sees of a login or an enrolment.
//
// Owns: the page itself (Assets/), which draws its codes by itself, the one-use ticket that opens it, the cookie that keeps it and the name that
// its requests carry, the stream of what happens to it, and the public stream of session events. Leaves to others: sessions, enrolments and their
// rules (Authentication).
// Start reading at Page.swift, then PageID, SQLPageStore, PageSnapshot and PageRoutes.
