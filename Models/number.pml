/* A login that waits asks for the number that the client shows (protocol 6): three tries at most, whatever comes at once, twice, or across a crash.
 * One session; decisions D0..D3, each signed once: D0 to D2 bring wrong numbers, D3 the right one, and its proof is good. Each decision comes in up to
 * two copies, by the phone's repetition or the network's, in any order, at one time; each copy is a call of its own at the server. A call is one
 * transaction, which is kept whole or not at all. The server ends at will before it, or after it and before the answer.
 * Asserted: no more tries are counted than decisions came, so that a copy costs none; a wrong one that was answered was counted; the third wrong one
 * ends the session, and nobody is logged in after it.
 * Expected: no error. Mutants: -DCOPY_COUNTS (the hash of a decision is not spent: its copy costs a try), -DLOOK_FIRST (the tries are read in one
 * transaction and written in another, so calls at once cost one together), -DTWO_COMMITS (the hash is spent before the try is counted: a crash
 * between them gives a try for nothing), -DANSWER_FIRST (NUMBER_WRONG is told before it was counted). */
#define D 4
#define RIGHT 3
#define MOST 3
mtype = { CLAIMED, LOGGED_IN, DENIED };
mtype st = CLAIMED;          /* in the database, as what follows */
byte wrong = 0;
bool spent[D];
byte came = 0;               /* not in the server: different wrong decisions of which a call began its transaction */
bool seen[D], told[D];       /* told: somebody was answered that this one was wrong */
byte i, heard;

inline check() {
  d_step {
    heard = 0; i = 0;
    do :: i < D -> heard = heard + (told[i] -> 1 : 0); i++ :: else -> break od; i = 0;
    assert(wrong <= came);                       /* a copy costs none */
    assert(heard <= wrong);                      /* no try for nothing */
    assert(wrong <= MOST);
    assert(!(st == LOGGED_IN && wrong >= MOST))  /* the third ends it */
  }
}

proctype call(byte d) {
  byte read = 0; bool first = false;
  if :: skip :: goto over fi;                    /* it is lost on its way, or the server ends before it */
#ifdef ANSWER_FIRST
  if :: d != RIGHT && st == CLAIMED -> told[d] = true; check() :: else fi;
  if :: skip :: goto over fi;
#endif
#ifdef LOOK_FIRST
  read = wrong;
#endif
#ifdef TWO_COMMITS
  atomic {
    if
    :: d != RIGHT && st == CLAIMED && !spent[d] -> spent[d] = true; first = true
    :: else
    fi
  };
  if :: skip :: goto over fi;                    /* the server ends between the two */
#endif
  atomic {
    if
    :: st != CLAIMED -> skip                     /* it changes nothing: told SESSION_OVER, or once more what it was told */
    :: st == CLAIMED && d == RIGHT -> assert(wrong < MOST); st = LOGGED_IN
    :: st == CLAIMED && d != RIGHT ->
       if :: !seen[d] -> seen[d] = true; came++ :: else fi;
#ifndef TWO_COMMITS
#ifdef COPY_COUNTS
       first = true;
#else
       first = !spent[d];
#endif
       spent[d] = true;
#endif
#ifndef LOOK_FIRST
       read = wrong;
#endif
       if
       :: first ->
          wrong = read + 1;
          if :: wrong == MOST -> st = DENIED :: else fi
       :: else
       fi;
       if :: skip :: told[d] = true fi           /* the answer is lost, or heard */
    fi;
    check()
  };
over: skip
}

init {
  atomic { byte d = 0; do :: d < D -> run call(d); run call(d); d++ :: else -> break od }
}
