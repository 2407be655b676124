/* ids.c - ids passed from thread to thread, and their text form. */
#include "config.h"

#include "gptl_probe.h"

#include <stdbool.h>
#include <stddef.h>

#include "iostack/state.h"

/* "gptl1-PROCESS-NUMBER", each in 16 hexadecimal digits. */
enum { HEAD = 6, DIGITS = 16 };
static const char head[] = "gptl1-";

static char *put(char *to, uint64_t value)
{
    for (int i = 0; i < DIGITS; i++)
        to[i] = "0123456789abcdef"[value >> 4 * (DIGITS - 1 - i) & 15];
    return to + DIGITS;
}

static bool get(const char *from, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < DIGITS; i++) {
        char c = from[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (unsigned)digit;
    }
    return true;
}

char *GPTLprobe_id_text(GPTLcallid id, char text[GPTL_CALLID_TEXT])
{
    char *at = text;
    if (id.process != 0) {
        for (int i = 0; i < HEAD; i++)
            *at++ = head[i];
        at = put(at, id.process);
        *at++ = '-';
        at = put(at, id.number);
    }
    *at = '\0';
    return text;
}

GPTLcallid GPTLprobe_id_of(const char *text)
{
    GPTLcallid id, none = {0, 0};
    if (!text)
        return none;
    for (int i = 0; i < HEAD; i++)
        if (text[i] != head[i])
            return none;
    if (!get(text + HEAD, &id.process) || text[HEAD + DIGITS] != '-' ||
        !get(text + HEAD + DIGITS + 1, &id.number) || text[HEAD + 2 * DIGITS + 1] != '\0')
        return none;
    return id.process ? id : none;
}

GPTL_IOSTACK_OFTEN GPTLcallid GPTLprobe_current(void)
{
    struct gptl_iostack_thread *t = gptl_iostack_tls;
    GPTLcallid none = {0, 0};
    return t ? t->current : none;
}

GPTLcallid GPTLprobe_set_current(GPTLcallid id)
{
    GPTLcallid before = {0, 0};
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (t) {
        before = t->current;
        t->current = id;
        gptl_iostack_leave(t);
    }
    return before;
}

const char *GPTLprobe_current_text(void)
{
    struct gptl_iostack_thread *t = gptl_iostack_tls;
    return t ? GPTLprobe_id_text(t->current, t->text) : "";
}
