# In: a folder and how many students. Out: for lab8 and lab9 an export as Moodle makes it, its grading
# worksheet, and in expected.csv what each student did: nothing, a file that doesn't compile, or the solution.
import csv, io, sys, zipfile

work, count = sys.argv[1], int(sys.argv[2])
FIRST = 'Anna Bo Cyd Dee Eve Fay Gus Hal 王伟 李娜 Νίκος Ольга Zoë'.split()
LAST = 'Lee Ek Ox García Müller Nguyễn Okafor Rossi 田中'.split()
EXERCISES = {'lab8': '1-barrier', 'lab9': '1-bulk-copy-1d'}
KINDS = ('solution', 'broken', 'untouched')


def text(lab, kind):
    folder = 'solutions' if kind == 'solution' else 'labs'
    source = open(f'{folder}/{lab}/{EXERCISES[lab]}.cu', encoding='utf-8').read()
    return source + ('\nthis does not compile\n' if kind == 'broken' else '')


def packed(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return out.getvalue()


for lab, exercise in EXERCISES.items():
    rows, expected = [], []
    with zipfile.ZipFile(f'{work}/{lab}.zip', 'w', zipfile.ZIP_DEFLATED) as export:
        for number in range(count):
            name = f'{FIRST[number % len(FIRST)]} {LAST[number // len(FIRST) % len(LAST)]}'
            kind = KINDS[(number + (lab == 'lab8')) % 3]
            folder = f'{name}_{1000 + number}_assignsubmission_file'
            # No two are the same file, so each is graded for itself.
            content = text(lab, kind) + (f'\n// {number}\n' if kind != 'untouched' else '')
            if number % 4 == 0:
                export.writestr(f'{folder}/{lab}.zip', packed(f'{lab}/{exercise}.cu', content))
            else:
                file = exercise if number % 4 > 1 else exercise.replace('-', '_')
                export.writestr(f'{folder}/{file}.cu', content)
            rows.append([f'Participant {1000 + number}', name, f'p{number}@example.edu', 'Submitted', '',
                         '100.00', 'Yes', '', ''])
            expected.append([f'Participant {1000 + number}', kind])
    with open(f'{work}/{lab}.csv', 'w', encoding='utf-8', newline='') as out:
        sheet = csv.writer(out)
        sheet.writerow(['Identifier', 'Full name', 'Email address', 'Status', 'Grade', 'Maximum Grade',
                        'Grade can be changed', 'Last modified (submission)', 'Feedback comments'])
        sheet.writerows(rows)
        sheet.writerow(['Participant 9999', 'Nobody Atall', 'n@example.edu', 'No submission', '',
                        '100.00', 'Yes', '', ''])
    with open(f'{work}/{lab}.expected', 'w', encoding='utf-8', newline='') as out:
        csv.writer(out).writerows(expected)
