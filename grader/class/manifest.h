// Compares the files that are graded with the manifest that `make handin` wrote.
#ifndef CLASS_MANIFEST_H
#define CLASS_MANIFEST_H

// Calls `tell` with a name and what is odd about it: for each file in `folder` whose checksum is missing in
// the manifest at `path` or differs, for each header that only the manifest has, and for "manifest.json"
// itself if it can't be read. No points depend on it: a student can write any manifest, and has good reasons
// to change a file.
void manifest_compare(const char *path, const char *folder,
                      void (*tell)(void *context, const char *name, const char *what), void *context);

#endif
