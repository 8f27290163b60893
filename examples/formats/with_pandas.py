"""with_pandas.py RUN CSV: the five regions with most host time, by pandas."""
import sqlite3
import sys

import pandas as pd

run = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
table = pd.read_csv(sys.argv[2])

# Full names, as the table has them: "outer/inner".
regions = pd.read_sql("SELECT process, path, parent, name FROM regions ORDER BY process, path", run)
names = {}
for row in regions.itertuples():
    above = names.get((row.process, row.parent))
    names[row.process, row.path] = row.name if above is None else f"{above}/{row.name}"

passes = pd.read_sql(
    "SELECT process, path, pid, duration_ns FROM instances JOIN processes USING (process)", run)
passes["region"] = [names[key] for key in zip(passes.process, passes.path)]
summed = passes.groupby(["pid", "region"]).duration_ns.agg(["count", "sum"]).reset_index()

rows = table[table["Kernel ID"].isna()]
joined = summed.merge(rows, how="left", left_on=["pid", "region"], right_on=["Process", "Region"])
result = pd.DataFrame({
    "region": joined.region,
    "passes": joined["count"],
    "host_ms": joined["sum"] / 1e6,
    "flop_per_byte": joined["Arithmetic Intensity [FLOP/Byte]"],
}).sort_values("host_ms", ascending=False).head(5)
print(result.to_csv(index=False, float_format="%.3f"), end="")
