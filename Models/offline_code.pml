/* How often an offline code is looked at (protocol 9): tries are counted before they are compared, and one session is logged in once, whatever comes at
 * once and across a crash.
 * Three sessions of one virtual server; in two of them codes of one reference are typed, in the third those of another. Each session has two callers with
 * a wrong code, and two (one, none) with the right one, in any order, at one time. A call is one transaction, which is kept whole or not at all. The server
 * ends at will before it, or after it and before the answer. The limits are small, so that each of the three is met: two tries of a session, three of a
 * reference, three failures of the server.
 * Asserted: no limit is passed by what was compared; what was answered was counted; a session has one login; a right code costs the server nothing.
 * Expected: no error. Mutants: -DCOMPARE_FIRST (the code is compared and answered, then counted in a transaction of its own), -DLOOK_FIRST (the counts are
 * read in one transaction and written in another), -DNO_SESSION, -DNO_REFERENCE and -DNO_SERVER (that budget is not looked at), -DNO_STATE (the state of
 * the session is not looked at: a code is good twice). */
#define SESSIONS 3
#define OF_SESSION 2
#define OF_REFERENCE 3
#define OF_SERVER 3
bool in[SESSIONS];                   /* in the database, as what follows */
byte ofSession[SESSIONS], ofReference[2], failures;
byte compared[SESSIONS], perReference[2];   /* not in the server, as what follows: of what anybody could learn something */
byte wrong, logins[SESSIONS], answered;

inline check() {
  assert(compared[0] <= OF_SESSION && compared[1] <= OF_SESSION && compared[2] <= OF_SESSION);
  assert(perReference[0] <= OF_REFERENCE && perReference[1] <= OF_REFERENCE);
  assert(wrong <= OF_SERVER && failures == wrong);
  assert(logins[0] <= 1 && logins[1] <= 1 && logins[2] <= 1);
  assert(answered <= ofReference[0] + ofReference[1])
}

inline mayTry(ok) {
  ok = true;
#ifndef NO_STATE
  ok = ok && !in[s];
#endif
#ifndef NO_SESSION
  ok = ok && ofSession[s] < OF_SESSION;
#endif
#ifndef NO_REFERENCE
  ok = ok && ofReference[r] < OF_REFERENCE;
#endif
#ifndef NO_SERVER
  ok = ok && failures < OF_SERVER
#endif
}

/* The failure that was counted is taken back. */
inline compare() {
  compared[s]++; perReference[r]++;
  if
  :: right -> in[s] = true; logins[s]++; failures--
  :: else -> wrong++
  fi
}

proctype call(byte s; byte r; bool right) {
  bool ok = false; byte a, b, c;
  if :: skip :: goto over fi;                    /* it is lost on its way, or the server ends before it */
#ifdef COMPARE_FIRST
  atomic { mayTry(ok); if :: ok -> failures++; compare(); answered++ :: else fi };
  if :: !ok -> goto over :: else fi;
  if :: skip :: goto over fi;                    /* the server ends between the two */
  atomic { ofSession[s]++; ofReference[r]++; check() };
  goto over;
#endif
#ifdef LOOK_FIRST
  atomic { mayTry(ok); a = ofSession[s]; b = ofReference[r]; c = failures };
  if :: !ok -> goto over :: else fi;
  atomic { ofSession[s] = a + 1; ofReference[r] = b + 1; failures = c + 1; compare(); check() };
  goto over;
#endif
  atomic {
    mayTry(ok);
    if
    :: ok -> ofSession[s]++; ofReference[r]++; failures++;
             compare();
             if :: answered++ :: skip fi         /* the answer is heard, or lost */
    :: else                                      /* nothing is compared, and nothing counted */
    fi;
    check()
  };
over: skip
}

init {
  atomic {
    run call(0, 0, false); run call(0, 0, false); run call(0, 0, true); run call(0, 0, true);
    run call(1, 0, false); run call(1, 0, false); run call(1, 0, true);
    run call(2, 1, false); run call(2, 1, false)
  }
}
