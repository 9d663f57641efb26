// SecondFactor: the authentication server's half of the second factor (protocol §7). PINs are counted elsewhere; here is numbered what will
// be counted.
//
// AttemptSequence gives every try the next number, so that a try that was lost is not free and one that was answered is not counted twice;
// AttemptService takes an M1 (AttemptAdmission has its checks) and SecondFactorChangeService an M3 (ChangeAdmission, ChangeRule).
// SecondFactorClient signs what goes to the other server and believes only what that one signed.
// Start reading at AttemptService.swift, then AttemptSequence.swift.
