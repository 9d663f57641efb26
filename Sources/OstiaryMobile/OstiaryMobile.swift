// OstiaryMobile owns the phone's side of Ostiary: accounts and their keys, enrolment, login, the second factor, sessions and their pings.
//
// What is here: the calls an app makes (API/), what the SDK asks of a platform (Ports/), the answers of Linux to that (Files/), the
// document of everything that outlives the process (Store/) and the one actor in which all of it happens (Engine/).
// What is not: the bytes of AP1, which are OstiaryProtocol's, and every screen, which is the app's.
// Start reading at API/Ostiary.swift, then Engine/Engine.swift, Engine/Login.swift and Engine/Enrolment.swift.
