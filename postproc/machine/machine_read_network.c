/* machine_read_network.c - reads the message times of machine.json. */
#include "config.h"

#include "postproc/machine/machine_read.h"

#include <string.h>

#include "postproc/ioc/memory.h"

static void read_message(struct json *json, struct machine_message *message)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "message_bytes") == 0)
            message->bytes = json_uint(json, MACHINE_MOST_BYTES);
#define PART(name, kind)                                                                           \
    else if (strcmp(key, #name) == 0) message->name = machine_read_positive(json);
#include "postproc/machine/message.def"
#undef PART
        else
            json_skip(json);
    }
    if (!json_failed(json) && message->seconds <= 0)
        json_fail(json, "a point of the network has no \"seconds\"");
}

static void read_messages(struct json *json, struct machine_network *network)
{
    size_t room = network->nmessages;
    json_array(json);
    while (json_element(json)) {
        struct machine_message message = {0};
        read_message(json, &message);
        if (network->nmessages > 0 &&
            message.bytes <= network->messages[network->nmessages - 1].bytes)
            json_fail(json, "the messages are not in the order of their sizes");
        if (json_failed(json))
            return;
        network->messages =
            memory_room(network->messages, &room, network->nmessages + 1, sizeof message);
        network->messages[network->nmessages++] = message;
    }
}

static void read_eager(struct json *json, struct machine_network *network)
{
    if (json_null(json))
        return;
    network->eager_bytes = json_uint(json, MACHINE_MOST_BYTES);
    network->knows_eager = true;
}

void machine_read_network(struct json *json, struct machine *machine)
{
    const char *key;
    if (json_null(json))
        return;
    if (!machine->network)
        machine->network = memory_zeros(1, sizeof *machine->network);
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "latency_seconds") == 0)
            machine->network->latency_seconds = machine_read_positive(json);
        else if (strcmp(key, "bytes_per_second") == 0)
            machine->network->bytes_per_second = machine_read_positive(json);
        else if (strcmp(key, "eager_bytes") == 0)
            read_eager(json, machine->network);
        else if (strcmp(key, "missing_sizes") == 0)
            machine->network->missing = (unsigned)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "points") == 0)
            read_messages(json, machine->network);
        else
            json_skip(json);
    }
    if (!json_failed(json) &&
        (machine->network->latency_seconds <= 0 || machine->network->bytes_per_second <= 0))
        json_fail(json, "the network has no \"latency_seconds\" or no \"bytes_per_second\"");
}
