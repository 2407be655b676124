/*
 * crc.c - CRC-32, eight bytes per step: every byte of a log is checked, and one byte per step would
 * take longer than all other processing.
 */
#include "config.h"

#include "postproc/ioc/crc.h"

#include <stdbool.h>
#include <string.h>

enum { STEP = 8 };

static uint32_t table[STEP][256];

static void make_table(void)
{
    static bool made;
    if (made)
        return;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        table[0][i] = crc;
    }
    for (int s = 1; s < STEP; s++)
        for (int i = 0; i < 256; i++)
            table[s][i] = table[s - 1][i] >> 8 ^ table[0][table[s - 1][i] & 255];
    made = true;
}

uint32_t crc_of(uint32_t before, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint32_t crc = ~before;
    make_table();
    for (; size >= STEP; p += STEP, size -= STEP) {
        uint32_t low, high;
        memcpy(&low, p, sizeof low);
        memcpy(&high, p + sizeof low, sizeof high);
        low ^= crc;
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
              table[4][low >> 24] ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^
              table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    for (; size > 0; size--)
        crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}
