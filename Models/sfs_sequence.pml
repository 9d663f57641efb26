/* Proposed rule: the AS has at most one open sequence number per instance; a number is used up only when the SFS's answer has been
 * committed at the AS (before it is relayed). SFS keeps hi, ok; o=max(ok,receipt at the AS); h=max(hi,o); ticket must be > h.
 * Rule 4: an answer is relayed only under a number above the last committed one, or again for the attempt that had it.
 * -DREPEAT: a phone whose answer was lost asks once more with the same attempt; the SFS answers a known attempt under its first number, uncounted.
 *   One repetition, one restore and four attempts in all, so that the search stays small; without it, two restores and six attempts.
 * Variants: -DNO_RULE_4 (with REPEAT: every answer of the open attempt is relayed), -DNO_OPEN (late answers of a taken-over attempt are relayed, without rule 4), -DRELAY_FIRST (relay before the AS commit),
 * -DLOCK_LOST (with REPEAT, three attempts): open is a lock in memory, which a crash of the AS loses at any moment; -DLATE_COUNTS: likewise, without REPEAT, and an answer is taken
 *   where nobody holds the lock, without rule 4 (bug).
 * -DSOFT_PROOF: the SFS tells a receipt before the commit of the proof is on its disk, so that a power cut takes ok back, until the next count is synced; also
 *   asserted there: nobody is blocked for tries that a told success has given back. Four attempts, two restores. -DNO_RECEIPT: likewise, and a ticket brings no
 *   receipt: somebody is (bug).
 * -DAS_RESTORE (AS rolled back instead of SFS), -DBOTH (both rolled back independently), -DNO_H (h=hi only, SFS arithmetic may go negative) */
#define MAX 2
#ifdef LATE_COUNTS
#define LOCK_LOST
#endif
#ifdef NO_RECEIPT
#define SOFT_PROOF
#endif
#ifdef SOFT_PROOF
byte okd=0;        /* ok as far as the disk has it */
#define SYNC(x) okd=x;
#define ACCIDENTS run power_cut();
#else
#define SYNC(x)
#endif
#ifdef LOCK_LOST
#define ACCIDENTS run end_of_as();
#endif
#ifndef ACCIDENTS
#define ACCIDENTS
#endif
byte hi=0, ok=0, hi_s=0, ok_s=0, srv=0, rc=0, srv_s=0, rc_s=0, open=0, nid=1, ev[12], wrong=0, succ=0, restores=0; bool under=false;
byte counted=0;    /* attempts the SFS committed since start */
#if defined(NO_RULE_4) || (defined(LOCK_LOST) && !defined(LATE_COUNTS))
#define REPEAT
#endif
#ifdef REPEAT
#define NREST 1
byte cnt[6], cnt_s[6];     /* by attempt: the number it was counted under, and the copy in the backup */
byte settled=0, settledn=0, reps=0;
byte c=0;
inline backup() { c=0; do :: c<6 -> cnt_s[c]=cnt[c]; c++ :: else -> break od; c=0 }
inline putback() { c=0; do :: c<6 -> cnt[c]=cnt_s[c]; c++ :: else -> break od; c=0 }
#else
#define NREST 2
#endif
inline recount() { d_step { wrong=0; byte q=succ+1; do :: q<12 -> wrong=wrong+ev[q]; q++ :: else -> break od; q=0 } }
proctype attempt(bool right; byte n) {
  byte t, o, h, me=0, tries=0; bool got, relayed=true;
  do
  :: if
     :: atomic { tries<n && srv<8 && hi<8 -> tries++; got=false; relayed=false; me=nid; nid++; open=me; t=srv+1 }
#ifdef REPEAT
     :: atomic { me!=0 && !relayed && reps<1 && srv<8 -> reps++; got=false; open=me; t=srv+1 }
#endif
     fi;
     if :: atomic {
#ifdef REPEAT
          if :: cnt[me]!=0 -> t=cnt[me]; got=true :: else ->
#endif
          o=(rc>ok->rc:ok); h=(hi>o->hi:o);
#ifdef NO_RECEIPT
          o=ok; h=(hi>o->hi:o);
#endif
#ifdef NO_H
          h=hi;
#endif
          if :: t<=h -> if :: open==me -> srv=(h>srv->h:srv); open=0 :: else fi          /* resync, nothing counted */
             :: t>h && t<=o -> under=true; assert(!under)                               /* negative f */
             :: t>h && t>o && t-1-o<MAX -> hi=t; ok=o; SYNC(o) got=true; counted++;
#ifdef REPEAT
                cnt[me]=t
#endif
             :: else -> 
#ifdef SOFT_PROOF
                assert(t-1-succ>=MAX);
#endif
                SYNC(ok) hi=(t-1>hi->t-1:hi) fi                    /* blocked: the numbers before are noted as used up */
#ifdef REPEAT
          fi
#endif
          }
        :: skip /* lost before the SFS */ fi;
     if :: got ->
#ifdef RELAY_FIRST
           atomic { relayed=true; if :: srv<t -> srv=t :: skip /* AS crash before commit */ fi }
#else
           if :: atomic {
#ifdef NO_OPEN
              true ->
#elif defined(LATE_COUNTS)
              open==me || open==0 ->
#else
              open==me ->
#endif
#if defined(NO_RULE_4) || defined(NO_OPEN) || defined(LATE_COUNTS)
                 relayed=true;
#else
                 relayed=(t>srv);
#ifdef REPEAT
                 if :: t<=srv && settled==me && settledn==t -> relayed=true :: t>srv -> settled=me; settledn=t :: else fi;
#endif
#endif
                 srv=(t>srv->t:srv); open=0 }
              :: skip /* answer lost or AS crashed */ fi
#endif
        :: else fi;
     if :: relayed -> if :: !right -> atomic { ev[t]++; recount(); assert(wrong<=MAX) }
                         :: else -> if :: atomic { ok=(t>ok->t:ok); rc=(t>rc->t:rc); succ=(t>succ->t:succ); recount() } :: skip fi fi
        :: else fi
  :: break
  od }
#ifdef LOCK_LOST
proctype end_of_as() { do :: atomic { open!=0 -> open=0 } :: break od }
#endif
#ifdef SOFT_PROOF
proctype power_cut() { do :: atomic { ok!=okd -> ok=okd } :: break od }
#endif
proctype operator() { do :: restores<NREST -> 
   if
#ifndef AS_RESTORE
#ifdef REPEAT
   :: d_step { hi_s=hi; ok_s=ok; backup() } :: d_step { hi=hi_s; ok=ok_s; SYNC(ok) putback(); restores++ }
#else
   :: atomic { hi_s=hi; ok_s=ok } :: atomic { hi=hi_s; ok=ok_s; SYNC(ok) restores++ }
#endif
#endif
#if defined(AS_RESTORE) || defined(BOTH)
   :: atomic { srv_s=srv; rc_s=rc } :: atomic { srv=srv_s; rc=rc_s; open=0; restores++ }
#endif
   fi :: break od }
#ifdef SOFT_PROOF
init { atomic { ACCIDENTS run attempt(false,2); run attempt(true,2); run operator() } }
#elif defined(LOCK_LOST) && defined(REPEAT)
init { atomic { ACCIDENTS run attempt(false,1); run attempt(false,1); run attempt(true,1); run operator() } }
#elif defined(REPEAT)
init { atomic { ACCIDENTS run attempt(false,2); run attempt(false,1); run attempt(true,1); run operator() } }
#else
init { atomic { ACCIDENTS run attempt(false,3); run attempt(false,2); run attempt(true,1); run operator() } }
#endif
