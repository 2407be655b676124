/*
 * reduce.c - messages along a binomial tree. After a failure, each rank still sends and receives
 * all messages expected by others: an empty message means no data.
 */
#include "config.h"

#include "ranks/reduce.h"

#include <stdlib.h>
#include <string.h>

/*
 * Return the lowest bit of RANK, whose removal gives the parent; for rank 0, a bit above all ranks.
 */
static unsigned lowest_bit(const struct gptl_transport *transport)
{
    unsigned bit = 1, rank = (unsigned)transport->rank;
    while (bit < (unsigned)transport->size && !(rank & bit))
        bit <<= 1;
    return bit;
}

/* Merge the received block into TREE. Either may be empty. */
static int take(struct gptl_ranks_tree *tree, void *block, size_t size, const char **why)
{
    struct gptl_ranks_tree other, merged;
    if (size == 0 || !tree->head)
        return -1;
    if (gptl_ranks_tree_open(&other, block, size)) {
        *why = "another rank has another release of the library, or is another kind of machine";
        return -1;
    }
    if (gptl_ranks_merge(&merged, tree, &other)) {
        *why = "there is no memory to merge what the ranks have";
        return -1;
    }
    gptl_ranks_tree_free(tree);
    *tree = merged;
    return 0;
}

static void receive_one(const struct gptl_transport *transport, int from,
                        struct gptl_ranks_tree *tree, const char **why)
{
    void *block = NULL;
    size_t size = 0;
    if (transport->receive(transport->context, from, &block, &size)) {
        *why = "a message of another rank did not arrive";
        size = 0;
    }
    if (take(tree, block, size, why))
        gptl_ranks_tree_free(tree);
    free(block);
}

int gptl_ranks_reduce(const struct gptl_transport *transport, struct gptl_ranks_tree *tree,
                      const char **why)
{
    unsigned rank = (unsigned)transport->rank, size = (unsigned)transport->size;
    unsigned mine = lowest_bit(transport);
    for (unsigned bit = 1; bit < mine && bit < size; bit <<= 1)
        if (bit < size - rank)
            receive_one(transport, (int)(rank + bit), tree, why);
    int result = tree->head ? 0 : -1;
    if (rank == 0)
        return result;
    if (transport->send(transport->context, (int)(rank - mine), tree->head,
                        tree->head ? (size_t)tree->head->size : 0)) {
        *why = "a message to another rank could not be sent";
        result = -1;
    }
    gptl_ranks_tree_free(tree);
    return result;
}

int gptl_ranks_tell(const struct gptl_transport *transport, int result)
{
    unsigned rank = (unsigned)transport->rank, size = (unsigned)transport->size;
    unsigned mine = lowest_bit(transport);
    int32_t word = result;
    if (rank > 0) {
        void *bytes = NULL;
        size_t n = 0;
        word = -1;
        if (transport->receive(transport->context, (int)(rank - mine), &bytes, &n) == 0 &&
            n == sizeof word)
            memcpy(&word, bytes, sizeof word);
        free(bytes);
    }
    for (unsigned bit = mine >> 1; bit > 0; bit >>= 1)
        if (bit < size - rank &&
            transport->send(transport->context, (int)(rank + bit), &word, sizeof word))
            word = -1;
    return word;
}
