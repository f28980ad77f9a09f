"""Builds the sample shop: one SQLite file, the same bytes of data every time, with nothing but the standard library.

Run it as ``python build.py``, or ``python build.py other.db``; an existing file is replaced.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

SCHEMA = """
-- Every other table leans on this one; the key is a text, and there is no rowid beside it.
CREATE TABLE countries (
    code        CHAR(2) PRIMARY KEY,
    name        TEXT NOT NULL,
    vat_percent DECIMAL(4, 1) NOT NULL,
    in_eu       BOOLEAN NOT NULL
) WITHOUT ROWID;

CREATE TABLE customers (
    id            INTEGER PRIMARY KEY,
    public_id     UUID NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    email         VARCHAR(255) UNIQUE,
    country       CHAR(2) NOT NULL REFERENCES countries (code),
    born          DATE,
    registered_at TIMESTAMP NOT NULL,
    newsletter    BOOLEAN NOT NULL DEFAULT 0,
    preferences   JSON
);

CREATE TABLE products (
    id        INTEGER PRIMARY KEY,
    sku       TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    price     DECIMAL(10, 2) NOT NULL,
    weight_kg REAL,
    stock     INT NOT NULL,
    barcode   BIGINT,
    picture   BLOB,
    on_sale   TIME              -- the time of day from which it is sold; most are sold all day
);

CREATE TABLE orders (
    id          INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    ordered_at  TIMESTAMP NOT NULL,
    shipped_on  DATE,
    status      TEXT NOT NULL,
    note        TEXT
);
CREATE INDEX orders_by_time ON orders (ordered_at, id);

-- A key of two columns, and a column that SQLite computes.
CREATE TABLE order_lines (
    order_id   INTEGER NOT NULL REFERENCES orders (id),
    line       INTEGER NOT NULL,
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity   INTEGER NOT NULL,
    price      DECIMAL(10, 2) NOT NULL,
    cents      INTEGER GENERATED ALWAYS AS (CAST(round(price * 100) AS INTEGER) * quantity) STORED,
    PRIMARY KEY (order_id, line)
) WITHOUT ROWID;

CREATE TABLE payments (
    id          INTEGER PRIMARY KEY,
    order_id    INTEGER NOT NULL REFERENCES orders (id),
    method      TEXT NOT NULL,
    amount      DECIMAL(12, 2) NOT NULL,
    paid_at     TIMESTAMP WITH TIME ZONE NOT NULL,   -- an instant: the bank says the zone
    receipt     BLOB
);

-- STRICT: here SQLite itself checks the types. "detail" may hold anything.
CREATE TABLE events (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    took_ms REAL,
    detail  ANY
) STRICT;

CREATE VIEW revenue AS
    SELECT country, count(DISTINCT orders.id) AS orders, sum(cents) AS cents
    FROM orders JOIN customers ON customers.id = customer_id JOIN order_lines ON order_lines.order_id = orders.id
    GROUP BY country;
"""

COUNTRIES = (
    ("AT", "Österreich", 20.0, 1),
    ("CH", "Schweiz", 8.1, 0),
    ("DE", "Deutschland", 19.0, 1),
    ("ES", "España", 21.0, 1),
    ("FR", "France", 20.0, 1),
    ("GR", "Ελλάδα", 24.0, 1),
    ("IS", "Ísland", 24.0, 0),
    ("JP", "日本", 10.0, 0),
    ("PL", "Polska", 23.0, 1),
    ("TR", "Türkiye", 20.0, 0),
)
GIVEN = ("Ada", "Björn", "Chloé", "Dmitri", "Eleni", "Fatma", "Grzegorz", "花子", "Íris", "José", "Zoë", "O'Brien")
FAMILY = ("Müller", "Çelik", "García", "Łukaszewicz", "佐藤", "Παπαδοπούλου", "Smith", 'van "Dyk"', "D’Angelo")  # noqa: RUF001 - so the name is spelled
THINGS = (
    "lamp",
    "chair",
    "kettle",
    "notebook",
    "bicycle bell",
    "umbrella",
    "teapot",
    "☕ cup",
    "rope, 10 m",
    "screwdriver",
)
COLOURS = ("red", "blue", "green", "grün", "черный", "white", "yellow")
STATUSES = ("new", "paid", "shipped", "shipped", "shipped", "returned", "cancelled")
CUSTOMERS, PRODUCTS, ORDERS, EVENTS = 800, 300, 5000, 6000
START = datetime(2023, 1, 1, tzinfo=UTC)
HOUR = 3600


def build(path: Path) -> None:
    """Write the database to ``path``."""
    path.unlink(missing_ok=True)
    chance = random.Random(20230101)
    connection = sqlite3.connect(path)
    try:
        connection.executescript(SCHEMA)
        prices = {}
        with connection:
            connection.executemany("INSERT INTO countries VALUES (?, ?, ?, ?)", COUNTRIES)
            insert(connection, "customers", customers(chance))
            for row in products(chance):
                prices[row[0]] = row[3]
                insert(connection, "products", iter([row]))
            for order, lines, payment in orders(chance, prices):
                insert(connection, "orders", iter([order]))
                connection.executemany("INSERT INTO order_lines VALUES (?, ?, ?, ?, ?)", lines)
                if payment is not None:
                    insert(connection, "payments", iter([(None, *payment)]))
            insert(connection, "events", events(chance))
    finally:
        connection.close()


def insert(connection: sqlite3.Connection, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
    """Insert whole rows."""
    for row in rows:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def customers(chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Yield customers: some without an email, a birthday or preferences."""
    for number in range(1, CUSTOMERS + 1):
        born = date(1940, 1, 1) + timedelta(days=chance.randrange(24_000))
        registered = START + timedelta(seconds=number * 9 * HOUR, microseconds=chance.randrange(1_000_000))
        preferences = {"language": chance.choice(("de", "en", "fr", "日本語")), "sizes": [chance.randrange(36, 47)]}
        yield (
            number,
            str(uuid.UUID(int=chance.getrandbits(128), version=4)),
            f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}",
            f"customer{number}@example.org" if chance.random() < 0.95 else None,
            chance.choice(COUNTRIES)[0],
            born.isoformat() if chance.random() < 0.8 else None,
            text(registered),
            int(chance.random() < 0.3),
            json.dumps(preferences, ensure_ascii=False) if chance.random() < 0.6 else None,
        )


def products(chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Yield products with prices in whole cents and, for some, a little picture."""
    for number in range(1, PRODUCTS + 1):
        yield (
            number,
            f"SKU-{number:05}",
            f"{chance.choice(COLOURS)} {chance.choice(THINGS)}",
            round(chance.randrange(99, 50_000) / 100, 2),
            round(chance.uniform(0.01, 30), 3) if chance.random() < 0.9 else None,
            chance.randrange(500),
            4_000_000_000_000 + chance.randrange(10**12),
            b"\x89PNG\r\n\x1a\n" + chance.randbytes(chance.randrange(20, 200)) if chance.random() < 0.2 else None,
            f"{chance.randrange(24):02}:30:00" if chance.random() < 0.05 else None,
        )


def orders(
    chance: random.Random, prices: dict[int, float]
) -> Iterator[tuple[tuple[Any, ...], list[tuple[Any, ...]], tuple[Any, ...] | None]]:
    """Yield orders with their lines and perhaps a payment, in the order of time."""
    at = START
    for number in range(1, ORDERS + 1):
        at += timedelta(seconds=chance.randrange(4 * HOUR), microseconds=chance.randrange(1_000_000))
        status = chance.choice(STATUSES)
        shipped = (at + timedelta(days=chance.randrange(1, 9))).date().isoformat() if status == "shipped" else None
        note = "Bitte klingeln!\n“2nd floor”, left; ring twice" if chance.random() < 0.05 else None
        bought = chance.sample(sorted(prices), chance.randrange(1, 6))
        lines = [
            (number, line, product, chance.randrange(1, 5), prices[product]) for line, product in enumerate(bought, 1)
        ]
        paid = None
        if status not in {"new", "cancelled"}:
            cents = sum(round(price * 100) * quantity for _, _, _, quantity, price in lines)
            zone = chance.choice(("Z", "+01:00", "+09:00"))
            receipt = chance.randbytes(32) if chance.random() < 0.5 else None
            paid = (number, chance.choice(("card", "transfer", "cash")), cents / 100, f"{text(at)[:19]}{zone}", receipt)
        yield (number, 1 + chance.randrange(CUSTOMERS), text(at), shipped, status, note), lines, paid


def events(chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Yield a log whose details are of every storage class."""
    at = START
    for number in range(1, EVENTS + 1):
        at += timedelta(seconds=chance.randrange(HOUR))
        detail = chance.choice((None, chance.randrange(10**6), chance.random(), "päge", chance.randbytes(4)))
        yield number, text(at), chance.choice(("view", "search", "login")), chance.expovariate(0.02), detail


def text(at: datetime) -> str:
    """Return a time as SQLite's own functions write it, with microseconds."""
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("shop.db")
    build(target)
    print(f"{target}: {target.stat().st_size:,} bytes")
