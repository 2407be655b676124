/* memsig_work.h - work(N): N stores, for tests that look for them in signatures. */
static volatile double x[1000];

__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        x[i % 1000] = i;
}
