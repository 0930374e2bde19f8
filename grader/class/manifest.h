// What `make handin` wrote of its files, against the files that are graded.
#ifndef CLASS_MANIFEST_H
#define CLASS_MANIFEST_H

// Calls `tell` with a file's name and what is odd about it, for each file in `folder` whose checksum in the manifest at `path` is another or
// missing, and each header that the manifest has and the folder hasn't; with "manifest.json" where that can't be read. Nothing follows from it for
// points: the path may hold anything, and there are good reasons to hand in another file.
void manifest_compare(const char *path, const char *folder,
                      void (*tell)(void *context, const char *name, const char *what), void *context);

#endif
