// Phone: `ostiary phone`, the mobile SDK with a terminal for a screen (docs/phone.md).
//
// PhoneCommands and its neighbours are the commands; `ostiary phone` itself stands in PhonePage/, which shows a phone as a page instead.
// PhoneConversation is one enrolment, login or change from its first event to its last, with PhonePrompts for what a person is asked and PhoneAnswers
// for what the command line has answered already. PhoneOutput tells what happens, as PhoneEvent+JSON for scripts and PhoneEvent+Text for people.
// OTPCommand makes the one-time code of a phone that has no network.
// DataCommand is the phone as a device that asks the Data Service behind the server.
// TokenCommands are the phone as an app with tokens: TokenUse does something with one, and LoopbackBrowser waits for the browser.
// Nothing here knows AP1: everything goes through the SDK's public calls.
// Start reading at PhoneCommands.swift, then PhoneConversation.swift.
