// A file's fingerprint, to recognise a skeleton that nobody has touched. Not a defence: a student who forges it gains
// "not started".
#ifndef REFEREE_FINGERPRINT_H
#define REFEREE_FINGERPRINT_H

enum { FINGERPRINT_SIZE = 17 };

// FNV-1a of the bytes, without carriage returns (a Windows editor is no start), as 16 hexadecimal digits. 0, or -1 with errno.
int fingerprint_file(const char *path, char text[FINGERPRINT_SIZE]);

#endif
