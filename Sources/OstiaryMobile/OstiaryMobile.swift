// OstiaryMobile owns the phone's side of Ostiary: accounts and their keys, enrolment, login, the second factor, sessions and their pings.
//
// What is here, from the top down; a room refers to those below it:
// API/ is what an app sees. Commands/ carries its calls out. Login/ and Enrolment/ are the two ways to a session; they use SecondFactor/,
// Presence/ and Accounts/, and these Server/, which talks to servers. All of them are extensions of one actor, which stands in Engine/
// with its state. Store/ is the document of everything that outlives the process, Ports/ what the SDK asks of a platform, Files/ and
// Apple/ the answers of platforms to that. Biometrics/ and FileSystem/, the prompt and the files that these speak of, lie below all.
// What is not: the bytes of AP1, which are OstiaryProtocol's, and every screen, which is the app's.
// Start reading at API/Ostiary.swift, then Engine/Engine.swift, Login/Login.swift and Enrolment/Enrolment.swift. Each room begins with a
// note.
