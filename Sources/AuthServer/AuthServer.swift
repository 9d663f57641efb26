// AuthServer puts the domains Authentication and OAuthProvider behind HTTP and on SQL: AP1 for phones (AP1/), pages for browsers (Pages/), the provider
// for OAuth clients (OAuth/), the REST API (REST/), the rows (SQL/), the keys of the virtual servers (Keys/), the way to the second-factor server
// (SecondFactor/), settings and assembly (Wiring/).
// What is not here: rules. A route decodes, asks the domain once and encodes.
// Start reading at Wiring/AuthNode.swift, which wires everything together, then AP1/AP1Dispatch.swift.
