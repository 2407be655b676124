#include <fcntl.h>
#include <gptl.h>
#include <unistd.h>

int main(void)
{
    char name[] = "data.0";
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < 3; i++, name[5]++)
        if (open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) != i || write(i, "record\n", 7) != 7)
            return 99;
    GPTLstart("a");
    GPTLstop("b");
    GPTLstop("a");
    GPTLsetoption(99999, 1);
    GPTLprint_memusage("label");
    GPTLprint_rusage("label");
    return write(2, "last\n", 5) == 5 ? 7 : 98;
}
