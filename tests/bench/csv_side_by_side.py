"""csv_side_by_side.py CSV_BENCH [ROWS]: writes and reads one table by Rafter, by Python's
csv module and by the sqlite3 shell, in one run, and prints times and their ratios.

Every way makes numbers of the numeric cells and text of numbers, so none only copies
bytes. Python writes rows out of memory, a thousand of them again and again; SQLite
imports into a table with typed columns, and exports it. Ends with 1 where the rows that
came out are not those that went in.
"""
import csv
import os
import subprocess
import sys
import tempfile
import time


def timed(work):
    begin = time.perf_counter()
    answer = work()
    return time.perf_counter() - begin, answer


def by_rafter(bench, words):
    said = subprocess.run([bench, *words], check=True, capture_output=True, text=True).stdout
    seconds, rows, peak_kib = said.split()
    return float(seconds), int(rows), int(peak_kib) / 1024


def number_columns(path):
    """Positions whose first cell is a number; "Process" and "Device" among them."""
    with open(path, newline='', encoding='utf-8') as file:
        reader = csv.reader(file)
        header, first = next(reader), next(reader)
    columns = []
    for at, cell in enumerate(first):
        try:
            float(cell)
            columns.append(at)
        except ValueError:
            pass
    return header, columns


def typed(row, columns):
    for at in columns:
        row[at] = float(row[at])
    return row


def python_read(path, columns):
    rows = 0
    with open(path, newline='', encoding='utf-8') as file:
        reader = csv.reader(file)
        next(reader)
        for row in reader:
            typed(row, columns)
            rows += 1
    return rows


def python_write(path, header, sample, rows):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(header)
        for at in range(rows):
            writer.writerow(sample[at % len(sample)])


def sqlite(database, *commands):
    subprocess.run(['sqlite3', '-batch', database, *commands], check=True,
                   stdout=subprocess.DEVNULL)


def count_rows(path):
    with open(path, 'rb') as file:
        return sum(chunk.count(b'\n') for chunk in iter(lambda: file.read(1 << 20), b'')) - 1


def compare(bench, rows, folder):
    ours, other, database = (os.path.join(folder, name) for name in ('a.csv', 'b.csv', 'a.db'))
    times = {}
    write_s, _, write_mib = by_rafter(bench, ['write', str(rows), ours])
    read_s, read_rows, read_mib = by_rafter(bench, ['read', ours])
    times['rafter'] = (write_s, read_s)
    header, columns = number_columns(ours)
    with open(ours, newline='', encoding='utf-8') as file:
        reader = csv.reader(file)
        next(reader)
        sample = [typed(row, columns) for row, _ in zip(reader, range(1000))]
    python_read_s, python_rows = timed(lambda: python_read(ours, columns))
    python_write_s, _ = timed(lambda: python_write(other, header, sample, rows))
    times["Python's csv"] = (python_write_s, python_read_s)
    wrong = [f'Python wrote {count_rows(other)} rows'] if count_rows(other) != rows else []

    kinds = ', '.join(f'"{name}" {"REAL" if at in columns else "TEXT"}'
                      for at, name in enumerate(header))
    sqlite(database, f'CREATE TABLE rows ({kinds})')
    sqlite_read_s, _ = timed(lambda: sqlite(database, f'.import --csv --skip 1 "{ours}" rows'))
    sqlite_write_s, _ = timed(lambda: sqlite(database, '.headers on', '.mode csv',
                                             f'.once "{other}"', 'SELECT * FROM rows'))
    times['SQLite'] = (sqlite_write_s, sqlite_read_s)
    for name, found in (('rafter', read_rows), ('Python', python_rows),
                        ('SQLite', count_rows(other))):
        if found != rows:
            wrong.append(f'{name} read {found} rows')
    print(f'{rows} rows of {len(header)} columns, {os.path.getsize(ours) / 1e6:.1f} MB;'
          f' rafter holds {write_mib:.0f} MiB to write and {read_mib:.0f} MiB to read')
    for name, (write, read) in times.items():
        print(f'{name:13} write {write:8.3f} s {write / write_s:6.2f} x rafter   '
              f'read {read:8.3f} s {read / read_s:6.2f} x rafter')
    for line in wrong:
        print(f'{line}, not {rows}')
    return 1 if wrong else 0


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        return compare(sys.argv[1], rows, folder)


if __name__ == '__main__':
    sys.exit(main())
