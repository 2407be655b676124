/* cancel.h - what must be done as a whole is not cut off by a cancellation. */
#ifndef GPTL_CORE_CANCEL_H
#define GPTL_CORE_CANCEL_H

/* The thread cannot be cancelled until the result is given to gptl_cancel_release. */
int gptl_cancel_hold(void);
void gptl_cancel_release(int before);

#endif
