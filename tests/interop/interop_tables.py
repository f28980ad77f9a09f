"""Tables that the configurations of these tests read."""

from __future__ import annotations

TABLES = r"""
CREATE TABLE items (
    id bigint PRIMARY KEY, small smallint, medium integer, name text, price numeric(12, 2), wide numeric(50, 4),
    single real, double double precision, flag boolean, day date, clock time, local timestamp, moment timestamptz,
    code uuid, document jsonb, bytes bytea, span interval, mood text, numbers integer[], words text[]
);
INSERT INTO items SELECT
    g, g % 100, CASE WHEN g % 7 > 0 THEN g * 2 END, CASE WHEN g % 5 > 0 THEN 'näme ' || g || E'\n,"' END, g * 1.25,
    g * 10.0 ^ 40, g / 7.0, g / 3.0, g % 2 = 0, date '2024-01-01' + g % 100, time '10:00' + (g % 1000) * interval '1 s',
    timestamp '2024-01-01' + g * interval '1 s', timestamptz '2024-01-01 00:00Z' + g * interval '1 min',
    md5(g::text)::uuid, jsonb_build_object('a', g), decode(md5(g::text), 'hex'), g * interval '1 day 1 s',
    CASE g % 3 WHEN 0 THEN '' WHEN 1 THEN 'ok' END, ARRAY[g, NULL, 3],
    CASE WHEN g % 3 > 0 THEN ARRAY['a' || g, NULL, ''] END
FROM generate_series(1, 1000) AS g;
CREATE TABLE many AS
    SELECT g::bigint AS id, g % 1000 AS n, md5(g::text) AS t, g / 4.0::float8 AS x FROM generate_series(1, 70000) AS g;
CREATE TABLE nothing (id integer, name text);
CREATE TABLE "Mixed" (id integer);
INSERT INTO "Mixed" VALUES (7);
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE kinds (
    id int, c_bool bool, c_int2 int2, c_int4 int4, c_int8 int8, c_oid oid, c_float4 float4, c_float8 float8,
    c_money numeric(12, 2), c_numeric numeric, c_text text, c_varchar varchar(40), c_char char(40), c_name name,
    c_bytea bytea, c_date date, c_time time, c_timestamp timestamp, c_timestamptz timestamptz, c_json json,
    c_jsonb jsonb, c_uuid uuid, c_enum mood, c_interval interval
);
INSERT INTO kinds VALUES
(1, true, 1, 1, 1, 1, 0.5, 0.5, 1.25, 1.25, '1', '1', '1', '1', '\x31', '2024-01-01', '10:00', '2024-01-01 10:00',
 '2024-01-01 10:00+02', '{"a":1}', '{"a":1}', '00112233-4455-6677-8899-aabbccddeeff', 'ok', '1 day'),
(2, false, -2, -2, -2, 2, -2, 1e300, -2.5, -2.5, '-2.5', '2', '2', '2', '\x00', '1969-12-31', '23:59:59.999999',
 '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00', '[]', 'null', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
 'sad', '-1 year');
INSERT INTO kinds (id) VALUES (3);
"""
