// Demo: both servers, a website and people with phones on one machine, for a first look.
//
// Owns: the two server processes and where they lie (DemoServers, DemoLayout); DemoSite, a website that does what docs/rest-api.md asks of one, with
// what it tells of a session that ends (SessionEnd); a person who does what a program says (ScriptedPerson); and the Story of `--script`, with
// DemoBrowser for a browser. ManagementClient calls the management interface as any backend does. DemoCalls carries what all of them ask.
// Leaves to others: the page that shows all of it and the command itself (DemoPage), attacks (Thief), what passes on the wire (Witness).
// Start reading at DemoSite.swift, then DemoServers.swift.
