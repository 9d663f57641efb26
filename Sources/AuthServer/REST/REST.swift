// REST: the management interface on the private listener (docs/rest-api.md, docs/openapi.json).
//
// AdminRoutes is the table of all calls; Admin…Routes hold them by feature, each a few lines: decode (AdminRequest, Admin…Object), ask the
// domain once, encode. AdminRegistry… is what the provider knows of applications, APIs, roles and users. AdminKey lets nobody pass without the
// API key, and hands on who asks (AdminCaller). getSession is SessionAnswers, which also answers it before there is a route. What refusals become is said in AdminRefusal, AdminDomainErrors and AdminRegistryErrors, and nowhere else.
// Start reading at AdminRoutes.swift, then AdminSessionRoutes.swift.
