/* Change of the PIN (protocol 7): the phone seals a new box with a pending key of the SFS and a share of the AS, stores it beside the old one, and
 * drops the old one only when it is told that the change is done. Every message is lost, late or repeated; each party loses what it did not store.
 * A box opens when its key is the active one of the SFS and its share is durable at the AS (committed, or kept for a repetition of M3).
 * Promise: of the boxes on the phone exactly one opens, never both and never none.
 * Variants: -DDROP_OLD (phone drops the old box when the new one is stored), -DERASE_FIRST (the SFS erases k in a commit before the switch),
 *   -DKEEP_OLD (the SFS never erases k), -DNO_SUPERSEDE (the proof of a replaced attempt is taken),
 *   -DONE_SHARE (each voucher draws a share, and the AS keeps the newest alone), -DVOLATILE_SHARE (the AS forgets pending shares in a crash) */
#define N 4                /* attempts 1..3; key and attempt have one name, 0 is the first PIN */
#define V 3                /* PIN_CHANGE_VERIFY 1..2 */
#define S 5                /* the share of the next epoch has the name of the one that was verified: 1..4 */
byte ep=1, k=0, pend=0, st[N];            /* SFS: active epoch and key, pending attempt, attempts: 1 reserved, 2 replaced, 3 done */
byte ve[V], nv=0;                         /* epoch of each voucher */
byte old=99;                              /* KEEP_OLD only */
bool share[S], com[S];                    /* AS: pending and committed shares */
byte pe[N], vo[N], by[N];                 /* epoch, voucher and share of each attempt */
#ifdef ONE_SHARE
#define SHARE(v) v
#else
#define SHARE(v) ve[v]
#endif
bool m1[N], ticket[N], m2[N], m3[N], receipt[N], m4[N];
byte b0e=1, b0k=0, b0s=0, b1e=0, b1k=0, b1s=0;   /* phone: the acknowledged box, and the new one */
byte cur=0, nid=1, i;
#define has(s) (s==0 || share[s] || com[s])
#define opens(e,b,s) (has(s) && ((e==ep && b==k) || b==old))
inline check() { assert((opens(b0e,b0k,b0s) -> 1 : 0) + ((b1e!=0 && opens(b1e,b1k,b1s)) -> 1 : 0) == 1) }
active proctype world() {
  do
  :: d_step { nv<V-1 -> nv++; ve[nv]=ep }                                                    /* PIN_CHANGE_VERIFY is proved */
  :: d_step { nid<N && nv>0 -> cur=nid; nid++; pe[cur]=b0e+1; vo[cur]=nv; by[cur]=SHARE(nv); m1[cur]=true }     /* the phone asks, or asks anew */
  :: atomic { if :: i=1 :: i=2 :: i=3 fi;
     if
     :: m1[i] ->                                                                             /* AS: mints a share, durably */
#ifdef ONE_SHARE
        share[1]=false; share[2]=false; share[3]=false; share[4]=false;
#endif
        share[by[i]]=true; ticket[i]=true
     :: ticket[i] && st[i]==0 && ve[vo[i]]==ep && pe[i]==ep+1 ->                             /* SFS: a key, another pending one is over */
        if :: pend!=0 -> st[pend]=2 :: else fi; pend=i; st[i]=1; m2[i]=true
     :: ticket[i] && (st[i]==1 || st[i]==3) -> m2[i]=true
     :: m2[i] && cur==i && pe[i]==b0e+1 ->                                                            /* phone: stores, then sends M3 */
        b1e=pe[i]; b1k=i; b1s=by[i]; m3[i]=true;
#ifdef DROP_OLD
        b0e=b1e; b0k=b1k; b0s=b1s; b1e=0
#endif
#ifdef NO_SUPERSEDE
     :: m3[i] && (st[i]==1 || st[i]==2) && pe[i]==ep+1 ->
#else
     :: m3[i] && st[i]==1 && pend==i && pe[i]==ep+1 ->                                       /* SFS: one commit */
#endif
#ifdef ERASE_FIRST
        if :: k!=98 -> k=98; goto next :: else fi;
#endif
#ifdef KEEP_OLD
        old=k;
#endif
        k=i; ep++; pend=0; st[i]=3; receipt[i]=true
     :: m3[i] && st[i]==3 -> receipt[i]=true
     :: receipt[i] -> com[by[i]]=true; m4[i]=true                                            /* AS: commits, then answers */
     :: m4[i] && b1e!=0 && b1k==i -> b0e=b1e; b0k=b1k; b0s=b1s; b1e=0                        /* phone: the old box goes */
     :: else -> skip
     fi;
next: i=0; check() }
  :: cur!=0 -> cur=0                                                                         /* the phone loses power */
#ifdef VOLATILE_SHARE
  :: atomic { share[1]=false; share[2]=false; share[3]=false; share[4]=false; check() }                                      /* the AS crashes */
#endif
  :: break
  od }
