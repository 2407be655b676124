/* prefix.c - GPTLprefix_set and related functions. */
#include "config.h"

#include "core/prefix.h"

#include <string.h>

#include "gptl.h"

#include "core/slow.h"

/* Make room for SIZE bytes, and keep the prefix. */
static bool reserve(struct gptl_thread *t, size_t size)
{
    if (size <= t->prefix_size)
        return true;
    size_t larger = 4096;
    while (larger < size)
        larger *= 2;
    char *buffer = gptl_mem_pages(larger);
    if (!buffer)
        return false;
    if (t->prefix)
        memcpy(buffer, t->prefix, t->prefix_length);
    gptl_mem_free(t->prefix, t->prefix_size);
    t->prefix = buffer;
    t->prefix_size = (uint32_t)larger;
    return true;
}

bool gptl_prefix_add(struct gptl_thread *t, struct gptl_name *name, uint32_t *length)
{
    if (!reserve(t, t->prefix_length + name->length + 1))
        return false;
    memcpy(t->prefix + t->prefix_length, name->text, name->length);
    t->prefix[t->prefix_length + name->length] = '\0';
    *length = t->prefix_length;
    name->text = t->prefix;
    name->length += t->prefix_length;
    return true;
}

static int set(const char *function, const char *prefix, size_t length)
{
    int rc;
    struct gptl_thread *t = gptl_thread_enter(function, &rc);
    if (!t || t->busy)
        return rc;
    gptl_lock();
    bool fits = length < UINT32_MAX / 4 && reserve(t, length + 1);
    if (fits) {
        memcpy(t->prefix, prefix, length);
        t->prefix_length = (uint32_t)length;
        /* The bit stays set after the prefix is unset: frames with a prefix may still be open. */
        gptl_thread_gate_set(t, GPTL_GATE_PREFIX);
    }
    gptl_unlock();
    return fits ? 0 : gptl_core_error(function, "no memory for a prefix of %zu bytes", length);
}

int GPTLprefix_set(const char *prefix)
{
    if (!prefix)
        return gptl_core_error("GPTLprefix_set", "the prefix is NULL");
    gptl_core_saw_fork("GPTLprefix_set", false);
    return set("GPTLprefix_set", prefix, strlen(prefix));
}

int GPTLprefix_setf(const char *prefix, int length)
{
    if (!prefix || length < 0)
        return gptl_core_error("GPTLprefix_setf",
                               prefix ? "the length is negative" : "the prefix is NULL");
    gptl_core_saw_fork("GPTLprefix_setf", false);
    size_t n = strnlen(prefix, (size_t)length);
    while (n > 0 && prefix[n - 1] == ' ')
        n--;
    return set("GPTLprefix_setf", prefix, n);
}

int GPTLprefix_unset(void)
{
    struct gptl_thread *t = gptl_thread_own();
    if (t && !t->busy)
        t->prefix_length = 0;
    return 0;
}
