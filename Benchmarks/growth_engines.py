"""The two engines as a harness needs them: their URLs for the servers, statements while no server runs, sizes, and what PostgreSQL costs."""

import contextlib
import os
import pathlib
import pwd
import shlex
import sqlite3
import subprocess
import sys
import time

import growth_rows

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import postgresql_programs  # noqa: E402


def processor_seconds(process):
    """Of all threads of a process until now, by its clock, which is exact to nanoseconds."""
    return time.clock_gettime((~process << 3) | 2)


class SQLite:
    name, words, version = "sqlite", growth_rows.SQLiteWords(), f"SQLite {sqlite3.sqlite_version}"

    def __init__(self, folder, fills=False):
        """`fills`: whether this is to fill the folder for others, and not to measure in it."""
        self.files = {"serve": folder / "serve/ostiary.sqlite", "second-factor": folder / "second-factor/second-factor.sqlite"}
        self.settings = {}

    def connect(self, server):
        connection = sqlite3.connect(self.files[server])
        connection.create_function("name", 2, growth_rows.name, deterministic=True)
        connection.create_function("nonce_hash", 1, growth_rows.nonce_hash, deterministic=True)
        return contextlib.closing(connection)

    def execute(self, server, statements, settles=True):
        """All of them; the log is short then. Statistics there are none, as in life: no server of ours makes any on SQLite."""
        with self.connect(server) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            # All of it, where that is a quarter of the memory at most: rows go everywhere into indexes.
            connection.execute(f"PRAGMA cache_size = -{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') // 4096}")
            for statement in statements:
                with connection:
                    connection.execute(statement)
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def row(self, server, query):
        """The columns of the first row by their names."""
        with self.connect(server) as connection:
            connection.row_factory = sqlite3.Row
            return dict(connection.execute(query).fetchone())

    def value(self, server, query):
        with self.connect(server) as connection:
            return connection.execute(query).fetchone()[0]

    def bytes(self, server):
        """Of the pages in use."""
        with self.connect(server) as connection:
            pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def data_files(self):
        """All that its databases have on disk."""
        return [path for file in self.files.values() for path in file.parent.glob(f"{file.name}*")]

    def processes(self):
        """None beside the servers."""
        return []

    def settle(self):
        pass

    def upkeep(self):
        return 0

    def processor(self):
        """In the server's own process."""
        return None

    def start(self):
        pass

    def stop(self):
        pass


class PostgreSQL:
    """A cluster of its own on a Unix socket, in the folder, with both databases. It keeps what it acknowledges, as the servers ask for."""

    name, words = "postgresql", growth_rows.PostgreSQLWords()
    # As a server of this size would be set up, and more connections than the nodes ask for.
    CONFIGURATION = """
listen_addresses = ''
unix_socket_directories = '{folder}'
max_connections = 200
shared_buffers = 1GB
max_wal_size = 4GB
checkpoint_timeout = 15min
dynamic_shared_memory_type = mmap
"""

    def __init__(self, folder, fills=False):
        """In a folder that is new, or was left by `stop`, or is a copy of one. `fills`: its log is not kept for later, so that copies are small."""
        self.folder = folder / "postgresql"
        # The name of a socket has 107 bytes at most.
        if len(str(self.folder)) > 85:
            raise SystemExit(f"growth: {self.folder} is too long a path for a socket of PostgreSQL: set TMPDIR, or --keep, to a shorter one")
        self.programs = self.find()
        self.runner = []
        is_new = not self.folder.exists()
        self.folder.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            # It refuses to run as root.
            entry = pwd.getpwnam("postgres")
            folder.chmod(0o711)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.runner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        if is_new:
            self.make()
        # A copy has the folder of what it is a copy of in its configuration.
        self.options = f"-k {shlex.quote(str(self.folder))}" + (" -c wal_recycle=off" if fills else "")
        self.start()
        self.databases = {"serve": "ostiary", "second-factor": "second_factor"}
        if is_new:
            for database in self.databases.values():
                self.psql("postgres", f"CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
        url = f"postgresql://ostiary@/{{}}?host={self.folder}"
        self.settings = {"OSTIARY_DATABASE_URL": url.format("ostiary"), "OSTIARY_SF_DATABASE_URL": url.format("second_factor")}
        self.version = f"PostgreSQL {self.psql('postgres', 'SHOW server_version')}"

    def start(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-o", self.options, "-w", "-t", "60", "start")
        self.postmaster = int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def make(self):
        self.run("initdb", "-D", self.folder / "data", "-U", "ostiary", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        subprocess.run([*self.runner, "tee", "-a", self.folder / "data/postgresql.conf"], check=True, text=True,
                       input=self.CONFIGURATION.format(folder=self.folder), stdout=subprocess.DEVNULL)

    @staticmethod
    def find():
        """The folder of its programs."""
        found = postgresql_programs.installed()
        if not found:
            raise SystemExit("growth: PostgreSQL is not installed (Debian: postgresql); or measure with --engine sqlite")
        return found

    def run(self, program, *arguments):
        # Of its output nothing is wanted, and what it starts would hold a pipe open.
        with open(self.folder.parent / "postgresql.out", "a+") as output:
            done = subprocess.run(
                [*self.runner, self.programs / program, *arguments], stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd="/")
            if done.returncode:
                output.seek(0)
                raise SystemExit(f"growth: {program} failed: {output.read()[-2000:]}")

    def psql(self, database, *statements):
        commands = [word for statement in statements for word in ("-c", statement)]
        done = subprocess.run(
            [self.programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "ostiary", "-d", database, *commands],
            capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"growth: PostgreSQL refused: {done.stderr[-2000:]}")
        return done.stdout.strip()

    def execute(self, server, statements, settles=True):
        self.psql(self.databases[server], "SET synchronous_commit = off", *statements)
        if settles:
            # What an autovacuum would do some minutes later, and a checkpoint, so that neither comes while something is measured. By a session of its own:
            # what one has inserted it may count a moment later only, and then an autovacuum comes for rows that were vacuumed already.
            self.vacuum(self.databases[server])
            self.psql(self.databases[server], "CHECKPOINT")

    def vacuum(self, database):
        self.psql(database, "VACUUM ANALYZE")
        # Which leaves former rows of the statistics, for which an autovacuum would come as well.
        self.psql(database, "VACUUM pg_catalog.pg_statistic")

    def value(self, server, query):
        found = self.psql(self.databases[server], query)
        return int(found) if found.lstrip("-").isdigit() else found

    def bytes(self, server):
        return self.value(server, f"SELECT pg_database_size('{self.databases[server]}')")

    def data_files(self):
        """All that the cluster has on disk, its log of changes too."""
        return [path for path in (self.folder / "data").rglob("*") if path.is_file() and not path.is_symlink()]

    def processes(self):
        """The postmaster and its children."""
        return [self.postmaster, *map(int, pathlib.Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children").read_text().split())]

    def all_databases(self):
        return ["postgres", "template1", *self.databases.values()]

    def settle(self):
        """Does what an autovacuum would do by itself in the next minutes, in all databases, those that a new cluster brings among them."""
        for database in self.all_databases():
            self.vacuum(database)
        self.psql("postgres", "CHECKPOINT")

    def upkeep(self):
        """How many tables an autovacuum has vacuumed or analyzed so far."""
        counted = "SELECT COALESCE(SUM(autovacuum_count + autoanalyze_count), 0)::bigint FROM pg_stat_all_tables"
        return sum(int(self.psql(database, counted)) for database in self.all_databases())

    def processor(self):
        """Of all its processes: of those that have ended the postmaster knows, to hundredths of a second."""
        _, *children = self.processes()
        seconds = processor_seconds(self.postmaster)
        fields = pathlib.Path(f"/proc/{self.postmaster}/stat").read_text().rsplit(")", 1)[1].split()
        seconds += sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
        for child in children:
            # One that ends now is among those that the postmaster knows of next time.
            with contextlib.suppress(OSError):
                seconds += processor_seconds(child)
        return seconds

    def stop(self):
        # In good order, so that it may be copied, or started again another day.
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "fast", "-w", "-t", "600", "stop")


ENGINES = {engine.name: engine for engine in (SQLite, PostgreSQL)}
