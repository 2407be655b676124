/* library.h - libpapi's functions as called by papi.c and sets.c. */
#ifndef GPTL_COUNTERS_LIBRARY_H
#define GPTL_COUNTERS_LIBRARY_H

#include <papi.h>
#include <stdbool.h>

/* The imported functions, each without the prefix PAPI_. */
#define GPTL_PAPI_FUNCTIONS(DO)                                                                    \
    DO(library_init)                                                                               \
    DO(is_initialized)                                                                             \
    DO(thread_init)                                                                                \
    DO(register_thread)                                                                            \
    DO(unregister_thread)                                                                          \
    DO(multiplex_init)                                                                             \
    DO(strerror)                                                                                   \
    DO(event_name_to_code)                                                                         \
    DO(event_code_to_name)                                                                         \
    DO(query_event)                                                                                \
    DO(get_event_info)                                                                             \
    DO(get_event_component)                                                                        \
    DO(get_component_info)                                                                         \
    DO(num_components)                                                                             \
    DO(enum_event)                                                                                 \
    DO(enum_cmp_event)                                                                             \
    DO(create_eventset)                                                                            \
    DO(assign_eventset_component)                                                                  \
    DO(set_multiplex)                                                                              \
    DO(add_event)                                                                                  \
    DO(start)                                                                                      \
    DO(stop)                                                                                       \
    DO(read)                                                                                       \
    DO(cleanup_eventset)                                                                           \
    DO(destroy_eventset)                                                                           \
    DO(get_real_nsec)

struct gptl_papi {
#define MEMBER(name) __typeof__(PAPI_##name) *name;
    GPTL_PAPI_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Valid after gptl_papi_begin has succeeded. */
extern struct gptl_papi gptl_papi;

/* True if the program started PAPI first; then the program must unregister its threads. */
extern bool gptl_papi_is_guest;

#endif
