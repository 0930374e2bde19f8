// Under the address sanitizer, these macros mark memory inside a larger block that no code may access: the
// gaps between the pieces of an arena and between the registers of a frame. In other builds they do nothing.
#ifndef VIRTUAL_HOPPER_BASE_POISON_H
#define VIRTUAL_HOPPER_BASE_POISON_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER 1
#endif

#ifdef UNDER_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
enum { POISON_GAP = 16 };
#define POISON(address, bytes)   ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
enum { POISON_GAP = 0 };
#define POISON(address, bytes)   ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

#endif
