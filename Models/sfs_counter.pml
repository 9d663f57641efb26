/* PIN-attempt counter of the Second Factor Server (SFS).
 * One account, MAX wrong evaluations allowed since the last proven success.
 * Actors: the owner (knows the PIN), two attackers holding the phone (wrong PIN), a crash that
 * loses everything that was not committed, and lost responses.
 * Variants (compile-time): 
 *   -DEVAL_FIRST   evaluate before the counter is committed (bug)
 *   -DNAIVE_RESET  success sets failed:=0 instead of ok:=seq (bug)
 *   -DNO_LOCK      read-check-write not atomic (bug)
 *   -DNO_FSYNC     commit is volatile until a later flush; a crash can lose it (bug)
 *   -DOTHER_ELEMENT  a counted attempt that is asked again is evaluated whatever it brings (bug)
 * An evaluation is not kept: a counted attempt may be asked again, at any time, and is evaluated again. The element is the one that was counted
 * (its hash is in the row), and the proof's r is derived, so what comes out is the same bytes and judges no other guess.
 */
#define MAX 2
#define NATT 3
byte hi_d = 0, ok_d = 0;   /* durable counters */
byte fail_d = 0;           /* durable 'failed' (NAIVE_RESET only) */
byte hi_v = 0;             /* what was written but perhaps not yet synced (NO_FSYNC only) */
byte wrongEval = 0;        /* ghost: wrong evaluations with seq > seq of the newest success */
byte ev[12];              /* ghost: number of wrong evaluations done under seq s */
byte succSeq = 0;          /* ghost: newest proven success */
bool alive = true;

inline recount() {
  d_step { wrongEval = 0; byte q = 0; q = succSeq + 1;
    do :: q < 12 -> wrongEval = wrongEval + ev[q]; q++ :: else -> break od; q = 0 }
}
inline evaluate(s, right) {
  if :: !right -> ev[s]++; recount(); assert(wrongEval <= MAX) :: else fi
}
proctype attempt(bool right; byte n) {
  byte s; byte tries = 0; bool ok, got; byte h, asked;
  do
  :: tries < n && hi_d < 10 ->
     tries++; ok = false; got = false; asked = 0;
#ifdef NO_LOCK
     h = hi_d;                                   /* read */
     if :: h - ok_d < MAX -> ok = true :: else fi;
#ifdef EVAL_FIRST
     if :: ok -> s = h + 1; evaluate(s, right) :: else fi;
#endif
     if :: ok -> hi_d = h + 1; s = h + 1 :: else fi;
#else
#ifdef NO_FSYNC
     atomic { if :: hi_v - ok_d < MAX -> hi_v++; s = hi_v; ok = true :: else fi };
#else
#ifdef NAIVE_RESET
     atomic { if :: fail_d < MAX -> fail_d++; hi_d++; s = hi_d; ok = true :: else fi };
#else
#ifdef EVAL_FIRST
     atomic { if :: hi_d - ok_d < MAX -> s = hi_d + 1; ok = true :: else fi };
     if :: ok -> evaluate(s, right) :: else fi;
     if :: alive -> atomic { if :: ok -> hi_d = (hi_d + 1 > s -> hi_d + 1 : s) :: else fi } 
        :: skip /* crash before the counter was written */ fi;
     ok = false;
#else
     atomic { if :: hi_d - ok_d < MAX -> hi_d++; s = hi_d; ok = true :: else fi };   /* reserve + commit */
#endif
#endif
#endif
#endif
#ifndef EVAL_FIRST
     if :: ok -> 
        do
        :: asked < 2 -> asked++;                            /* then evaluate, and as often as the attempt comes */
           if :: !got -> evaluate(s, right); got = true
              :: else ->
#ifdef OTHER_ELEMENT
                 evaluate(s, right)
#else
                 skip
#endif
           fi
        :: break                                            /* crash, or lost request: counted, and not evaluated or not again */
        od;
        if :: got ->
              if :: right ->                               /* owner proves */
                   if :: skip -> 
#ifdef NAIVE_RESET
                        atomic { fail_d = 0; if :: s > succSeq -> succSeq = s :: else fi; recount() }
#else
                        atomic { if :: s > ok_d -> ok_d = s :: else fi; if :: s > succSeq -> succSeq = s :: else fi; recount() }
#endif
                      :: skip /* proof lost */ fi
                 :: else fi
           :: else fi
     :: else fi
#endif
  :: break
  od
}
#ifdef NO_FSYNC
proctype disk() { do :: hi_v > hi_d -> hi_d = hi_v /* synced at last */ :: hi_v > hi_d -> hi_v = hi_d /* power loss */ :: break od }
#endif
init { atomic {
#ifdef NO_FSYNC
  run disk();
#endif
  run attempt(false, NATT); run attempt(false, NATT); run attempt(true, 2) } }
