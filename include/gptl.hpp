/*
 * gptl.hpp - regions as scopes of C++ code.
 *
 *     #include <gptl.hpp>
 *
 *     void solve() {
 *         GPTL_FUNCTION();            // a region named "solve", until the function returns
 *         {
 *             GPTL_SCOPE("assemble"); // a region until the end of the block
 *             ...
 *         }
 *     }
 *
 * A region ends on every exit from its block, including an exception. With
 * -DGPTL_NO_INSTRUMENTATION the macros expand to nothing, and their arguments are not evaluated.
 */
#ifndef GPTL_HPP
#define GPTL_HPP

#include <string>
#include <type_traits>
#include <utility>

#include <gptl.h>

namespace gptl {

/*
 * A region that starts at construction and stops at destruction, on the same thread. The string
 * NAME must exist until then.
 */
class scope {
public:
    explicit scope(const char *name) noexcept : name_(name) { GPTLstart(name_); }
    ~scope() { GPTLstop(name_); }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

private:
    const char *name_;
};

/* A region that owns its name. */
class string_scope {
public:
    explicit string_scope(std::string name) : name_(std::move(name)) { GPTLstart(name_.c_str()); }
    ~string_scope() { GPTLstop(name_.c_str()); }

    string_scope(const string_scope &) = delete;
    string_scope &operator=(const string_scope &) = delete;

private:
    std::string name_;
};

/* The scope class for a name of type T. */
template <class T>
using scope_for = typename std::conditional<std::is_convertible<T, const char *>::value, scope,
                                            string_scope>::type;

/* A region with a handle shared by all executions of its code. */
class handle_scope {
public:
    handle_scope(const char *name, int *handle) noexcept : name_(name), handle_(handle)
    {
        GPTLstart_handle(name_, handle_);
    }
    ~handle_scope() { GPTLstop_handle(name_, handle_); }

    handle_scope(const handle_scope &) = delete;
    handle_scope &operator=(const handle_scope &) = delete;

private:
    const char *name_;
    int *handle_;
};

/*
 * The measurement session: turns the library on at construction and ends it at destruction; for
 * main.
 */
class session {
public:
    session() noexcept { GPTLinitialize(); }
    ~session() { GPTLfinalize(); }

    session(const session &) = delete;
    session &operator=(const session &) = delete;
};

} // namespace gptl

#define GPTL_JOIN_(a, b) a##b
#define GPTL_JOIN(a, b) GPTL_JOIN_(a, b)

#ifndef GPTL_NO_INSTRUMENTATION
#define GPTL_SCOPE(name) ::gptl::scope_for<decltype(name)> GPTL_JOIN(gptl_scope_, __COUNTER__)(name)
#define GPTL_FUNCTION() GPTL_SCOPE(static_cast<const char *>(__func__))
#define GPTL_START(name) GPTLstart(name)
#define GPTL_STOP(name) GPTLstop(name)
#else
#define GPTL_SCOPE(name) static_cast<void>(0)
#define GPTL_FUNCTION() static_cast<void>(0)
#define GPTL_START(name) static_cast<void>(0)
#define GPTL_STOP(name) static_cast<void>(0)
#endif

#endif
