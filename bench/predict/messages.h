/*
 * messages.h - shared interface of the files of messages: rank, buffers, and the list of kernels.
 */
#ifndef GPTL_BENCH_MESSAGES_H
#define GPTL_BENCH_MESSAGES_H

enum { MOST = 8 << 20 };

extern int rank, peer, bytes, turns;
extern long work;
extern double out[MOST / sizeof(double)], in[MOST / sizeof(double)];

/* Compute for the time of STEPS dependent operations. */
void compute(long steps);
/* Numbers in BYTES. */
int count(void);
/* Change the first N elements to be sent, or read the received ones. */
void write_out(int n);
void read_in(int n);

/* messages_programs.c */
void heat(void);
void conjugate(void);
void panels(void);
void transpose(void);
/* messages_patterns.c */
void columns(void);
void cannon(void);
void particles(void);
void polling(void);
void pipeline(void);
void uneven(void);
void scan(void);
void synchronous(void);
void buckets(void);
void multigrid(void);
void sweep(void);
void faces(void);
void pool(void);
void snapshot(void);
void elements(void);
void molecules(void);
/* messages_unseen.c */
void ghosts(void);
void lanczos(void);
void spectral(void);
void contraction(void);

#endif
