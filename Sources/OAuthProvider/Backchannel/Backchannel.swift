// Backchannel: authorizations that a person gives on another device than the one that asks. The device flow (RFC 8628): the client shows a code, a
// person brings it. CIBA: the client names a person, whose phone is asked. Both wait as a `PolledAuthorization`, and both are approved by the same
// call.
// Start reading at DeviceService.swift.
