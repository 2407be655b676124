/*
 * integers.c - detects instructions that write a general register. A core has a limited number of
 * physical registers for instructions in flight and stalls when they are exhausted. Valgrind's
 * representation hides this, since it merges two writes to one register; therefore this file
 * decodes the machine code.
 *
 * Instructions that only move the stack pointer (push, call) count as writing none, because
 * processors track it separately.
 */
#include "integers.h"

/* Effect of an opcode: the row is its first hexadecimal digit, the column its second. */
enum {
    NONE = '.',
    ALWAYS = 'g',
    OPERAND = 'm', /* if the r/m operand is a register */
    /* depends on the reg field of the ModRM byte: */
    ARITHMETIC = 'a', /* all but 7, which compares */
    UNARY = 't',      /* 0 and 1 test; 2 and 3 write the operand; others write two registers */
    INCREMENT = 'i',  /* 0 and 1 */
    BITS = 'b',       /* 5 and above; 4 tests */
    /* depends on prefixes: */
    CONVERSION = 'c', /* of one number */
    MOVE = 'v',       /* of a vector's lowest element, unless the destination is a vector */
};

static const HChar *const one_byte[16] = {
    "mmgggg..mmgggg..", "mmgggg..mmgggg..", "mmgggg..mmgggg..", "mmgggg..........",
    "................", "........gggggggg", "...g.....g.g....", "................",
    "aa.a..ggmmggmg.m", ".ggggggggg.....g", "gg..gggg..gggggg", "gggggggggggggggg",
    "mm....mm.g......", "mmmm...g........", "ggg.............", "......tt......ii"};
static const HChar *const after_0f[16] = {
    "................", "................", "............cc..", ".g..............",
    "gggggggggggggggg", "g...............", "................", "..............v.",
    "................", "mmmmmmmmmmmmmmmm", "..g.mm.....mmm.g", "gg.m..ggg.bmgggg",
    "gg...g.ggggggggg", ".......g........", "................", "................"};

enum map { ONE_BYTE, AFTER_0F, AFTER_0F38, AFTER_0F3A };

struct code {
    enum map map;
    Bool vex;
    UChar prefix; /* 0xf2, 0xf3 or none */
    UChar opcode, operands;
};

static HChar row_of(const struct code *code)
{
    HChar does = code->map == ONE_BYTE ? one_byte[code->opcode >> 4][code->opcode & 15]
                                       : after_0f[code->opcode >> 4][code->opcode & 15];
    /* With three operands (VEX) these are vector instructions, with a few exceptions. */
    Bool same = does == CONVERSION || does == MOVE || code->opcode == 0x50 ||
                code->opcode == 0xc5 || code->opcode == 0xd7;
    return code->vex && !same ? NONE : does;
}

static Bool writes(const struct code *code)
{
    UInt digit = code->operands >> 3 & 7;
    Bool is_register = code->operands >> 6 == 3;
    if (code->map == AFTER_0F38) /* 0xf1 stores, unless it is a checksum */
        return code->opcode >= 0xf0 && (code->opcode != 0xf1 || code->prefix == 0xf2);
    if (code->map == AFTER_0F3A)
        return code->opcode == 0xf0 ||
               (code->opcode >= 0x14 && code->opcode <= 0x17 && is_register);
    switch (row_of(code)) {
    case ALWAYS:
        return True;
    case OPERAND:
        return is_register;
    case ARITHMETIC:
        return is_register && digit != 7;
    case UNARY:
        return digit >= 4 || (digit >= 2 && is_register);
    case INCREMENT:
        return digit < 2 && is_register;
    case BITS:
        return digit > 4 && is_register;
    case CONVERSION:
        return code->prefix != 0;
    case MOVE:
        return code->prefix != 0xf3 && is_register;
    default:
        return False;
    }
}

static Bool is_prefix(UChar byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
           byte == 0x65 || byte >> 4 == 4;
}

/*
 * Decode a VEX prefix, which includes all other prefixes. Return its length, or 0 without a VEX
 * prefix.
 */
static UInt take_vex(struct code *code, const UChar *at, UInt left)
{
    static const UChar prefixes[4] = {0, 0, 0xf3, 0xf2};
    UInt bytes = left > 2 && at[0] == 0xc5 ? 2 : left > 3 && at[0] == 0xc4 ? 3 : 0;
    if (bytes > 0) {
        code->vex = True;
        code->map = bytes == 2 ? AFTER_0F : (enum map)(at[1] & 3);
        code->prefix = prefixes[at[bytes - 1] & 3];
    }
    return bytes;
}

Bool memsig_writes_integer(Addr address, UInt length)
{
    const UChar *at = (const UChar *)address, *end = at + length;
    struct code code = {ONE_BYTE, False, 0, 0, 0};
    for (; at < end && is_prefix(*at); at++)
        if (*at == 0xf2 || *at == 0xf3)
            code.prefix = *at;
    UInt vex = take_vex(&code, at, (UInt)(end - at));
    at += vex;
    if (vex == 0 && at + 1 < end && *at == 0x0f) {
        code.map = at[1] == 0x38 ? AFTER_0F38 : at[1] == 0x3a ? AFTER_0F3A : AFTER_0F;
        at += code.map == AFTER_0F ? 1 : 2;
    }
    if (at >= end)
        return False;
    code.opcode = at[0];
    code.operands = at + 1 < end ? at[1] : 0;
    return writes(&code);
}
