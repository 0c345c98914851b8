import sqlite3

with sqlite3.connect("/results/data.db") as database:
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE numbers (number)")
    database.executemany("INSERT INTO numbers VALUES (?)", [(i,) for i in range(100)])
assert sqlite3.connect("/results/data.db").execute("SELECT sum(number) FROM numbers").fetchone() == (4950,)
