// Demo: `ostiary demo`, both servers, a website and a phone on one machine, for a first look.
//
// DemoCommand starts DemoServers by a DemoLayout and DemoSite, a website that does what docs/rest-api.md asks of one; DemoTour says in the
// terminal what there is to see. `--script` tells a Story instead, with DemoBrowser for a browser. ManagementClient calls the management
// interface as any backend does.
// Start reading at DemoCommand.swift, then DemoSite.swift.
