// SecondFactor: the authentication server's half of the second factor (protocol §7). PINs are counted elsewhere; here is numbered what will
// be counted.
//
// AttemptService takes an M1 (AttemptAdmission has its checks) and SecondFactorChangeService an M3 (ChangeAdmission, and ChangeRule of the model).
// AttemptSequence, in the model too, gives every try the next number, so that a try that was lost is not free and one that was answered is not
// counted twice. SecondFactorClient, in Gateway/, signs what goes to the other server and believes only what that one signed.
// Start reading at AttemptService.swift, then Model/SecondFactor/AttemptSequence.swift.
