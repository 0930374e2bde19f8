# In: a folder, and the folders of right and of untouched exercises. Out: in the first, exports in the shapes
# that Gradescope, Moodle and Canvas give them, a folder of archives, and one full of hostile archives. The
# idea: what Python's own writers refuse to write is patched in afterwards.
import io, lzma, os, sys, tarfile, zipfile

work, right, untouched = sys.argv[1:4]
NAME = '1-bulk-copy-1d.cu'
RIGHT = open(right + '/' + NAME, 'rb').read()
UNTOUCHED = open(untouched + '/' + NAME, 'rb').read()


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data)
    return out.getvalue()


def tarred(*members, mode='w:gz'):
    """Members: (name, bytes), or (name, what tarfile calls its type, where it leads)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as file:
        for name, *what in members:
            entry = tarfile.TarInfo(name)
            if len(what) == 2:
                entry.type, entry.linkname = what
                file.addfile(entry)
            else:
                entry.size = len(what[0])
                file.addfile(entry, io.BytesIO(what[0]))
    return out.getvalue()


def put(name, data):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)


METADATA = '''---
submission_5001:
  :submitters:
  - :name: Ann Lee
    :sid: '4711'
    :email: ann@example.edu
  - :name: Bo Ek
    :sid: '4799'
    :email: bo@example.edu
  :created_at: 2026-11-01 20:13:44.120000000 Z
  :score: 0.0
  :status: processed
  :results:
    tests: []
submission_5002:
  :submitters:
  - :name: Zoë Ek
    :sid: '4712'
    :email: zoe@example.edu
  :created_at: 2026-11-01 20:59:01.120000000 Z
'''
put('gradescope.zip', zipped(
    ('assignment_6001_export/submission_metadata.yml', METADATA.encode()),
    ('assignment_6001_export/submission_5001/' + NAME, RIGHT),
    ('assignment_6001_export/submission_5001/notes.txt', b'how it went'),
    ('assignment_6001_export/submission_5002/lab9/' + NAME, UNTOUCHED),
    ('__MACOSX/assignment_6001_export/._submission_5001', b'\0')))
put('moodle.zip', zipped(
    ('Ann Lee_123_assignsubmission_file/lab9-handin.tar.gz', tarred(('lab9/' + NAME, RIGHT))),
    ('Ann Lee_123_assignsubmission_onlinetext/onlinetext.html', b'<p>Please see the file.</p>'),
    ('Bo van der Ek_124_assignsubmission_file/' + NAME, RIGHT),
    ('Zoë Øst_125_assignsubmission_file/lab9.zip', zipped(('lab9/' + NAME, UNTOUCHED)))))
# A name in a DOS code page, which is not UTF-8.
put('dos.zip', zipped(('Zoe Ost_125_assignsubmission_file/' + NAME, UNTOUCHED))
    .replace(b'Zoe Ost', b'Zo\x89 Ost'))
put('moodle-flat.zip', zipped(
    ('Ann Lee_123_assignsubmission_file_' + NAME, RIGHT),
    ('Ann Lee_123_assignsubmission_file_2-tiles-2d.cu', UNTOUCHED),
    ('Bo van der Ek_124_assignsubmission_file_' + NAME, UNTOUCHED)))
put('canvas.zip', zipped(
    ('leeann_101_9001_lab9-handin.tar.gz', tarred(('lab9/' + NAME, RIGHT))),
    ('ekbo_LATE_102_9002_1-bulk-copy-1d.cu', UNTOUCHED),
    ('ekbo_LATE_102_9003_1-bulk-copy-1d-1.cu', RIGHT),
    ('ekbo_LATE_102_9004_2-tiles-2d-1.cu', UNTOUCHED),
    ('ostzoe_103_9005_lab9.zip', zipped((NAME, UNTOUCHED)))))
put('folders/ann/lab9/' + NAME, RIGHT)
put('folders/bo.zip', zipped(('lab9/' + NAME, RIGHT), ('__MACOSX/lab9/._' + NAME, b'\0')))
put('folders/cy.tar', tarred((NAME, RIGHT), mode='w'))
put('folders/dee/README.txt', b'I had no time')
put('folders/zoë.tar.xz', lzma.compress(tarred(('./lab9/' + NAME, RIGHT), mode='w')))
put('folders/.DS_Store', b'\0')
put('folders/__MACOSX/x', b'\0')
put('one-student.zip', zipped(('ann/lab9/' + NAME, RIGHT)))


def locked(data):
    """The same zip, said to have a password: a bit in the flags of each header, local and central."""
    for mark, at in ((b'PK\3\4', 6), (b'PK\1\2', 8)):
        where = data.index(mark) + at
        data = data[:where] + bytes([data[where] | 1]) + data[where + 1:]
    return data


good = zipped((NAME, RIGHT))
put('hostile.zip', zipped(
    ('fine/' + NAME, RIGHT),
    ('absolute.tar.gz', tarred(('/tmp/escaped.cu', RIGHT))),
    ('bomb.zip', zipped((NAME, bytes(80 << 20)))),
    ('broken.zip', good[:100]),
    ('climbs.zip', zipped(('../../../escaped.cu', RIGHT), ('lab9/../../' + NAME, RIGHT))),
    ('device.tar', tarred((NAME, tarfile.CHRTYPE, ''), mode='w')),
    ('links.tar.gz', tarred((NAME, tarfile.SYMTYPE, '/etc/passwd'))),
    ('many.zip', zipped(*(('%d.cu' % i, b'') for i in range(5001)))),
    ('nested.zip', zipped(('a.zip', zipped(('b.zip', zipped(('c.zip', zipped(('d.txt', b''))))))))),
    ('newline.tar.gz', tarred(('1-bulk-copy-1d\n.cu', RIGHT))),
    ('no-archive.zip', b'this is no archive, whatever its name says'),
    ('password.zip', locked(good)),
    ('two\nlines/' + NAME, UNTOUCHED),
    ('<script>alert(1)<' + 'script>/' + NAME, UNTOUCHED),
    ('=1+1/' + NAME, UNTOUCHED),
    ('../escaped.zip', good)))
