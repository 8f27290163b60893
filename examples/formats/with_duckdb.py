"""with_duckdb.py RUN CSV: the five regions with most host time, by DuckDB."""
import sqlite3
import sys

import duckdb

run = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db = duckdb.connect()
db.execute("CREATE TABLE regions (process INT, path INT, parent INT, name TEXT)")
db.executemany("INSERT INTO regions VALUES (?, ?, ?, ?)",
               run.execute("SELECT process, path, parent, name FROM regions").fetchall())
db.execute("CREATE TABLE instances (process INT, path INT, pid INT, duration_ns BIGINT)")
db.executemany("INSERT INTO instances VALUES (?, ?, ?, ?)",
               run.execute("SELECT process, path, pid, duration_ns FROM instances"
                           " JOIN processes USING (process)").fetchall())
rows = db.execute("""
    WITH RECURSIVE names AS (
      SELECT process, path, name FROM regions WHERE parent = 0
      UNION ALL
      SELECT r.process, r.path, n.name || '/' || r.name FROM regions r
      JOIN names n ON n.process = r.process AND n.path = r.parent),
    passes AS (
      SELECT pid, name AS region, count(*) AS passes, sum(duration_ns) / 1e6 AS ms
      FROM instances JOIN names USING (process, path) GROUP BY ALL)
    SELECT p.region, p.passes, printf('%.3f', p.ms),
           coalesce(printf('%.3f', t."Arithmetic Intensity [FLOP/Byte]"), '')
    FROM passes p LEFT JOIN read_csv_auto(?) t
      ON t.Region = p.region AND t.Process = p.pid AND t."Kernel ID" IS NULL
    ORDER BY p.ms DESC LIMIT 5""", [sys.argv[2]]).fetchall()
print("region,passes,host_ms,flop_per_byte")
for row in rows:
    print(",".join(map(str, row)))
