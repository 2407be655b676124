/* cancel.h - protection of indivisible work from thread cancellation. */
#ifndef GPTL_CORE_CANCEL_H
#define GPTL_CORE_CANCEL_H

/* Make the thread uncancelable until the result is passed to gptl_cancel_release. */
int gptl_cancel_hold(void);
void gptl_cancel_release(int before);

#endif
