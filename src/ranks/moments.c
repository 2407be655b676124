/* moments.c - running mean and variance of single values or groups. */
#include "config.h"

#include "ranks/tree.h"

/* Welford's method: B. P. Welford, Technometrics 4 (1962), 419-420. */
void gptl_moments_add(struct gptl_moments *to, double value)
{
    double distance = value - to->mean;
    to->n++;
    to->mean += distance / (double)to->n;
    to->squares += distance * (value - to->mean);
}

/* T. F. Chan, G. H. Golub, R. J. LeVeque, The American Statistician 37 (1983), 242-247. */
void gptl_moments_join(struct gptl_moments *to, const struct gptl_moments *more)
{
    if (more->n == 0)
        return;
    if (to->n == 0) {
        *to = *more;
        return;
    }
    double before = (double)to->n, added = (double)more->n, all = before + added;
    double distance = more->mean - to->mean;
    to->n += more->n;
    to->mean += distance * (added / all);
    to->squares += more->squares + distance * distance * (before * (added / all));
}

/*
 * Return the square root by Newton's method, since the library does without libm. The range is an
 * upper bound of a standard deviation, and from above each step decreases the value until rounding
 * stops the iteration.
 */
double gptl_moments_deviation(const struct gptl_moments *of, double range)
{
    double variance = of->n > 0 ? of->squares / (double)of->n : 0;
    double root = range, next = root;
    while (next > 0) {
        root = next;
        next = (root + variance / root) / 2;
        if (next >= root)
            break;
    }
    return root;
}
