// Thief: attacks on the demonstration's own servers, each of which really does what its button says, and says why nothing came of it.
//
// Owns: the moves, what they may touch, and the verdict. A move that works throws AttackSucceeded: the page says so in red, and the tests fail.
// The victim is Nora, who is enrolled anew for each move and has a phone of her own, so that no visitor loses a try or a login by a button.
// Leaves to others: who presses the buttons (DemoPage) and what a person does with a phone (Demo's ScriptedPerson).
// Start reading at ThiefMove.swift, then StolenPhone.swift.
