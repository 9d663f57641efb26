// AuthServer puts the domain Authentication behind HTTP and on SQL: AP1 for phones (AP1/), pages for browsers (Pages/), the REST API (Routes/),
// the store (Stores/), the keys of the virtual servers (Keys/), the way to the second-factor server (SecondFactor/) and what runs by itself
// (Background/). What is not here: rules. A route decodes, asks the domain and encodes.
// Start reading at AuthNode.swift, which wires everything together, then AP1/AP1Dispatch.swift.
