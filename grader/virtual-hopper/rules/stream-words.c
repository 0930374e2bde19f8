// The words for two operations that nothing orders (stream-words.h).
#include "virtual-hopper/rules/stream-words.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/stream-value.h"
#include "virtual-hopper/rules/fault-causes.h"

enum { DEFAULT_STREAM = 1, THREADS_STREAM = 2 };

static void name_stream(const struct stream_deed_facts *d, char *text, size_t size) {
  if (d->stream == DEFAULT_STREAM)
    snprintf(text, size, "the default stream");
  else if (d->stream == THREADS_STREAM)
    snprintf(text, size, "the main thread's default stream (cudaStreamPerThread)");
  else if (d->stream >= STREAM_OF_THREAD && d->stream < STREAM_OF_GRAPH)
    snprintf(text, size, "the default stream of host thread %u (cudaStreamPerThread)",
             d->stream - STREAM_OF_THREAD);
  else if (d->stream >= STREAM_OF_GRAPH)
    snprintf(text, size, "a branch of a graph");
  else
    snprintf(text, size, "stream %u%s", d->stream - THREADS_STREAM,
             d->non_blocking ? " (cudaStreamNonBlocking)" : "");
}

// Without the namespace.
static const char *short_name(const char *kernel) {
  const size_t length = strcspn(kernel, "<(");
  const char *name = kernel;
  for (size_t i = 0; i + 1 < length; i++)
    if (kernel[i] == ':' && kernel[i + 1] == ':') name = kernel + i + 2;
  return name;
}

static const char *const kinds_of_copy[] = {[STREAM_COPY_TO_DEVICE] = "a copy to the device",
                                            [STREAM_COPY_TO_HOST] = "a copy to the host",
                                            [STREAM_COPY_ON_DEVICE] = "a copy on the device",
                                            [STREAM_FILL] = "a fill (cudaMemset)",
                                            [STREAM_ALLOCATION] = "an allocation (cudaMallocAsync)",
                                            [STREAM_FREE] = "cudaFreeAsync",
                                            [STREAM_HOST_FUNCTION] = "a host function"};

static const char *deed_verb(const struct stream_deed_facts *d) {
  return d->actor == STREAM_ALLOCATION ? "makes"
         : d->actor == STREAM_FREE     ? "gives back"
         : d->map                      ? "uses, as a tensor map,"
         : d->writes                   ? "writes"
                                       : "reads";
}

// "a copy to the host in stream 2 reads"
static void name_deed(const struct stream_deed_facts *d, char *text, size_t size) {
  char stream[80], kernel[96];
  const char *what = deed_verb(d);
  name_stream(d, stream, sizeof stream);
  if (d->actor == STREAM_KERNEL) {
    fault_demangle(d->kernel, kernel, sizeof kernel);
    snprintf(text, size, "kernel `%s` in %s %s", short_name(kernel), stream, what);
  } else if (d->actor == STREAM_HOST) {
    snprintf(text, size, "the host's own code %s", what);
  } else {
    snprintf(text, size, "%s in %s %s", kinds_of_copy[d->actor], stream, what);
  }
}

static void describe_role(const struct stream_deed_facts *d, char *text, size_t size) {
  char stream[80];
  name_stream(d, stream, sizeof stream);
  if (d->actor == STREAM_HOST)
    *text = '\0';
  else if (d->actor == STREAM_KERNEL)
    snprintf(text, size, "%s, in %s",
             d->map      ? "the kernel uses the tensor map"
             : d->writes ? "the kernel writes the bytes"
                         : "the kernel reads the bytes",
             stream);
  else
    snprintf(text, size, "%s %s the bytes, in %s", kinds_of_copy[d->actor], deed_verb(d), stream);
}

// True when one of the two is in the default stream and the other in a stream that doesn't wait for it.
static bool is_beside_default(const struct stream_facts *f) {
  if (f->earlier.stream >= STREAM_OF_GRAPH || f->later.stream >= STREAM_OF_GRAPH) return false;
  return (f->earlier.stream == DEFAULT_STREAM && f->later.non_blocking) ||
         (f->later.stream == DEFAULT_STREAM && f->earlier.non_blocking);
}

// A copy whose call has returned. Programs rely on its bytes then, and small ones have mostly landed: a
// warning.
static bool has_not_landed(const struct stream_facts *f) {
  return f->earlier.is_staged && is_beside_default(f) && f->later.actor != STREAM_HOST;
}

// A host function and what the host had waited for before it waited for the function: the function may wait
// for a word of the host's. A warning.
static bool may_be_told(const struct stream_facts *f) {
  return f->earlier.is_awaited || f->later.is_awaited;
}

static const char *explain_default(const struct stream_facts *f) {
  if (f->later.actor == STREAM_HOST) return "";
  if (may_be_told(f) && (f->earlier.pageable || f->later.pageable))
    return " The copy has read it when its call returned: if the function waits for a word that the host "
           "gives after that, all is right.";
  if (may_be_told(f))
    return " The host has waited for the other one before it waited for the function: if the function waits "
           "for a word that the host gives in between, all is right.";
  if (f->earlier.is_early || f->later.is_early)
    return " By the documentation the default stream waits for the function. But on an H100 and an H200 a "
           "copy of 16 KiB or less from page-locked memory takes the bytes that are there when it is called.";
  if (f->later.pageable && f->later.actor == STREAM_COPY_TO_HOST)
    return " A copy to pageable memory writes it while it is called, whatever functions in other streams do.";
  if (f->earlier.pageable || f->later.pageable)
    return " A copy from pageable memory reads it while it is called, whatever comes before it in its "
           "stream.";
  if (has_not_landed(f))
    return " cudaMemcpy from pageable memory may return before its bytes have landed, and a stream made with "
           "cudaStreamNonBlocking doesn't wait for the default stream.";
  if (is_beside_default(f))
    return " A stream made with cudaStreamNonBlocking and the default stream don't wait for each other.";
  return "";
}

// "the copy", of the earlier operation
static const char *short_deed(const struct stream_facts *f) {
  return f->earlier.actor == STREAM_KERNEL          ? "the kernel"
         : f->earlier.actor == STREAM_FILL          ? "the fill"
         : f->earlier.actor == STREAM_ALLOCATION    ? "the allocation"
         : f->earlier.actor == STREAM_HOST_FUNCTION ? "the host function"
                                                    : "the copy";
}

// The later operation's stream, or the host, has waited, but not for what it should.
static void explain_event(const struct stream_facts *f, char *text, size_t size) {
  char stream[80], waits[80] = "the host", other[80];
  *text = '\0';
  name_stream(&f->earlier, stream, sizeof stream);
  name_stream(&f->recorded_in, other, sizeof other);
  if (f->later.actor != STREAM_HOST) name_stream(&f->later, waits, sizeof waits);
  if (*waits >= 'a' && *waits <= 'z') *waits = (char)(*waits - 'a' + 'A');
  if (f->waited == STREAM_WAITED_EARLY)
    snprintf(text, size,
             " %s has waited for an event, but that was recorded in %s before %s: it covers only what comes "
             "before cudaEventRecord.",
             waits, stream, short_deed(f));
  else if (f->waited == STREAM_WAITED_OWN)
    snprintf(text, size,
             " %s has waited for an event, but that was recorded in %s itself, which orders nothing.", waits,
             f->later.actor == STREAM_HOST ? "it" : "this stream");
  else if (f->waited == STREAM_WAITED_OTHER)
    snprintf(text, size,
             " %s has waited for an event, but that was recorded in %s, which doesn't come after %s.", waits,
             other, short_deed(f));
  else if (f->waited == STREAM_WAITED_NEVER)
    snprintf(text, size,
             " %s has waited for an event that was not recorded yet: such a wait is over at once.", waits);
}

static void advise_event(const struct stream_facts *f, char *text, size_t size) {
  char stream[80];
  name_stream(&f->earlier, stream, sizeof stream);
  if (f->waited == STREAM_WAITED_EARLY)
    snprintf(text, size, "Call cudaEventRecord(event, stream) after %s, not before it.", short_deed(f));
  else
    snprintf(text, size,
             "Record the event in %s, after %s and before the wait: cudaEventRecord(event, stream).", stream,
             short_deed(f));
}

static void advise(const struct stream_facts *f, char *text, size_t size) {
  if (f->waited != STREAM_WAITED_NOT)
    advise_event(f, text, size);
  else if (f->later.actor == STREAM_HOST)
    snprintf(text, size,
             ("Call cudaStreamSynchronize(stream), or cudaEventSynchronize() for an event recorded after the "
              "%s, before the host touches the memory."),
             f->earlier.actor == STREAM_KERNEL ? "kernel"
             : f->earlier.actor == STREAM_FILL ? "fill"
                                               : "copy");
  else if (f->earlier.stream >= STREAM_OF_GRAPH || f->later.stream >= STREAM_OF_GRAPH)
    snprintf(
        text, size,
        ("Let the graph's later node depend on the earlier one: by an edge (cudaGraphAddDependencies); or, "
         "if the streams were captured, by an event that is recorded after the first and that the other "
         "stream waits for."));
  else if (f->later.actor == STREAM_FREE)
    snprintf(text, size,
             ("Free the memory in the stream that uses it last; or record an event after the last use "
              "(cudaEventRecord) and let the stream of cudaFreeAsync wait for it (cudaStreamWaitEvent)."));
  else if (f->earlier.actor == STREAM_ALLOCATION)
    snprintf(text, size,
             ("Allocate the memory in the stream that uses it; or record an event after cudaMallocAsync "
              "(cudaEventRecord) and let the other stream wait for it (cudaStreamWaitEvent)."));
  else if (f->earlier.is_early || f->later.is_early)
    snprintf(
        text, size,
        ("Copy in the function's own stream: cudaMemcpyAsync(.., stream); or call cudaStreamSynchronize() "
         "for that stream before the copy."));
  else if (f->later.pageable && f->later.actor == STREAM_COPY_TO_HOST)
    snprintf(text, size,
             ("Call cudaStreamSynchronize() for the function's stream before the copy; or call "
              "cudaLaunchHostFunc() after the copy, if the function needs what that brings."));
  else if (f->earlier.pageable || f->later.pageable)
    snprintf(text, size,
             ("Call cudaStreamSynchronize() for the function's stream before the copy; or let the function "
              "fill page-locked memory (cudaMallocHost), and order the two by their stream or an event."));
  else if (has_not_landed(f))
    snprintf(text, size,
             ("Copy in the other operation's stream: cudaMemcpyAsync(.., stream); or call "
              "cudaStreamSynchronize(0) after the copy; or record an event in the default stream after it "
              "(cudaEventRecord) and let the other stream wait for that (cudaStreamWaitEvent)."));
  else if (f->later.actor != STREAM_KERNEL && is_beside_default(f))
    snprintf(text, size,
             ("Call cudaStreamSynchronize() for that stream first; or use the Async form of the call, in the "
              "same stream as the other operation."));
  else
    snprintf(text, size,
             ("Put both into the same stream; or record an event after the first (cudaEventRecord) and let "
              "the other stream wait for it (cudaStreamWaitEvent)."));
}

static void capitalise(char *text) {
  if (*text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');
}

// One of the two is the caller; the other works outside the stream that it is given.
static void word_outside(const struct stream_facts *facts, struct fault *fault) {
  const bool is_first = facts->later.actor == STREAM_CALLER;
  const struct stream_deed_facts *own = is_first ? &facts->earlier : &facts->later;
  char what[240];
  name_deed(own, what, sizeof what);
  capitalise(what);
  snprintf(fault->message, sizeof fault->message,
           "%s memory that belongs to the launcher's caller: the first byte is %s. The caller fills it "
           "before and reads it after in the stream that it hands over, and nothing orders that stream and "
           "this one. So on a GPU %s.",
           what, facts->place,
           is_first ? "the results may be read before they are there" : "the input may not be there yet");
  snprintf(fault->remedy, sizeof fault->remedy,
           "Do everything in the stream that the launcher is given: kernel<<<blocks, threads, bytes, "
           "stream>>>(..), cudaMemcpyAsync(.., stream). Another stream has to wait for an event of that one "
           "first, and that one for an event of the other last (cudaStreamWaitEvent).");
  if (own->actor != STREAM_KERNEL) return;
  describe_role(own, is_first ? fault->role : fault->related[0].role, sizeof fault->role);
  snprintf(fault->kernel, sizeof fault->kernel, "%s", own->kernel);
}

// One wait of the later stream for the earlier one is missing, whatever the two do afterwards.
static void note_cause(const struct stream_facts *f, struct fault *fault) {
  const uint64_t earlier = f->earlier.stream, later = f->later.stream;
  const char *subject = has_not_landed(f)                          ? "staged"
                        : f->earlier.is_early || f->later.is_early ? "early"
                        : may_be_told(f)                           ? "told"
                                                                   : "";
  if (earlier && later && earlier < STREAM_OF_GRAPH && later < STREAM_OF_GRAPH)
    fault->cause = fault_cause(SUBJECT_STREAMS, subject, earlier << 24 | later);
}

void stream_hang_words(const struct stream_hang_facts *f, struct fault *fault) {
  static const char *const ways[STREAM_VALUE_WAYS] = {[STREAM_VALUE_AT_LEAST] = "at least",
                                                      [STREAM_VALUE_EQUAL] = "equal to",
                                                      [STREAM_VALUE_AND] = "a value with a bit of",
                                                      [STREAM_VALUE_NOR] = "a value that lacks a bit beside"};
  const struct stream_deed_facts d = {.stream = f->stream, .non_blocking = f->non_blocking};
  const int bits = f->how & STREAM_VALUE_WIDE ? 64 : 32;
  char stream[80];
  name_stream(&d, stream, sizeof stream);
  *fault = (struct fault){.rule = RULE_DEADLOCK, .severity = FAULT_FATAL, .device_error = 702};
  fault->place.file = fault->place.instruction = "";
  capitalise(stream);
  snprintf(
      fault->message, sizeof fault->message,
      "%s waits for a value in memory (cuStreamWaitValue%d) that nobody writes any more: the word is %s. "
      "It holds %llu, and the stream goes on when it is %s %llu. The host waits for that stream, and no "
      "operation is left that can run.%s",
      stream, bits, f->place, (unsigned long long)f->now, ways[f->how & (STREAM_VALUE_WIDE - 1)],
      (unsigned long long)f->wanted,
      f->was_awaited_late ? " The value was there before, and another has replaced it."
      : f->has_writes     ? " A stream has written there, but not such a value."
                          : "");
  snprintf(fault->remedy, sizeof fault->remedy, "%s",
           f->was_awaited_late
               ? "Wait for a value that is not replaced before the wait: count up, and wait with "
                 "CU_STREAM_WAIT_VALUE_GEQ."
           : f->has_writes ? "Let cuStreamWriteValue32 write the value that the wait asks for."
                           : "Write the value before the host waits: by cuStreamWriteValue32 in another "
                             "stream that doesn't wait for this one, by a kernel there, or by the host.");
}

void stream_words(const struct stream_facts *facts, struct fault *fault) {
  char earlier[240], later[240], event[400];
  *fault = (struct fault){.rule = RULE_STREAM_ORDER, .severity = FAULT_ERROR, .related_count = 1};
  if (facts->earlier.actor == STREAM_CALLER || facts->later.actor == STREAM_CALLER) {
    word_outside(facts, fault);
    return;
  }
  const bool is_early = facts->earlier.is_early || facts->later.is_early;
  if ((has_not_landed(facts) || is_early || may_be_told(facts)) && !facts->strict)
    fault->severity = FAULT_WARNING;
  const bool is_pageable = facts->earlier.pageable || facts->later.pageable;
  note_cause(facts, fault);
  name_deed(&facts->earlier, earlier, sizeof earlier);
  name_deed(&facts->later, later, sizeof later);
  explain_event(facts, event, sizeof event);
  capitalise(earlier);
  snprintf(
      fault->message, sizeof fault->message, "%s memory that %s later: the first byte is %s%s.%s%s", earlier,
      later, facts->place, is_pageable ? ", in pageable memory of the host" : "",
      is_early
          ? ""
          : " Nothing orders the two, so on a GPU they may run at the same time, or the other way round.",
      *event ? event : explain_default(facts));
  describe_role(&facts->earlier, fault->role, sizeof fault->role);
  describe_role(&facts->later, fault->related[0].role, sizeof fault->related[0].role);
  advise(facts, fault->remedy, sizeof fault->remedy);
  snprintf(fault->kernel, sizeof fault->kernel, "%s",
           facts->earlier.actor == STREAM_KERNEL ? facts->earlier.kernel : facts->later.kernel);
}
