-- Relations of every kind and shape; e2e_shapes.py adds those with very many or very odd names.

CREATE SCHEMA shapes;

CREATE TABLE shapes.empty (id bigint, d date, ts timestamptz, n numeric(12,3), j jsonb, u uuid, l uuid[]);
CREATE TABLE shapes.one_column AS SELECT g AS id FROM generate_series(1, 10) g;
CREATE TABLE shapes.one_empty_text AS SELECT ''::text AS t;
CREATE TABLE shapes.only_nulls AS
    SELECT NULL::int AS a, NULL::text AS b, NULL::int[] AS c, NULL::numeric(5,1) AS d FROM generate_series(1, 100);
CREATE UNLOGGED TABLE shapes.unlogged AS SELECT g AS id FROM generate_series(1, 3) g;
CREATE TABLE public.in_public AS SELECT 'public' AS here;
CREATE TABLE public.twin AS SELECT 'public' AS here;
CREATE TABLE shapes.twin AS SELECT 'shapes' AS here;
CREATE SEQUENCE shapes.counter START 41;
SELECT nextval('shapes.counter');

-- partitions: other column orders, sub-partitions, a default one
CREATE TABLE shapes.partitioned (id int NOT NULL, day date, place text, n numeric(8,3)) PARTITION BY RANGE (day);
CREATE TABLE shapes.p_old PARTITION OF shapes.partitioned FOR VALUES FROM (MINVALUE) TO ('2024-01-01');
CREATE TABLE shapes.p_new (place text, n numeric(8,3), dropped int, id int NOT NULL, day date);
ALTER TABLE shapes.p_new DROP COLUMN dropped;
ALTER TABLE shapes.partitioned ATTACH PARTITION shapes.p_new FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE shapes.p_hash PARTITION OF shapes.partitioned FOR VALUES FROM ('2025-01-01') TO (MAXVALUE)
    PARTITION BY HASH (id);
CREATE TABLE shapes.p_hash_0 PARTITION OF shapes.p_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE shapes.p_hash_1 PARTITION OF shapes.p_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE shapes.p_rest PARTITION OF shapes.partitioned DEFAULT PARTITION BY LIST (place);
CREATE TABLE shapes.p_rest_all PARTITION OF shapes.p_rest DEFAULT;
INSERT INTO shapes.partitioned
    SELECT g, CASE WHEN g % 10 > 0 THEN date '2023-06-01' + g END, 'place ' || g % 3, g / 7.0
    FROM generate_series(1, 1000) g;

-- inheritance: the parent shows the children's rows
CREATE TABLE shapes.parent (id int, name text);
CREATE TABLE shapes.child (more int) INHERITS (shapes.parent);
INSERT INTO shapes.parent VALUES (1, 'parent');
INSERT INTO shapes.child VALUES (2, 'child', 3);

CREATE TABLE shapes.generated (
    id int GENERATED ALWAYS AS IDENTITY,
    a numeric(6,2),
    twice numeric(8,2) GENERATED ALWAYS AS (a * 2) STORED,
    s serial,
    d text DEFAULT 'given'
);
INSERT INTO shapes.generated (a) SELECT g / 3.0 FROM generate_series(1, 20) g;

CREATE TABLE shapes.changed (a int, gone text, b int);
INSERT INTO shapes.changed VALUES (1, 'x', 2);
ALTER TABLE shapes.changed
    DROP COLUMN gone, ADD COLUMN c numeric(5,1) NOT NULL DEFAULT 7.5, ADD COLUMN d int, ALTER COLUMN a TYPE bigint;
INSERT INTO shapes.changed VALUES (3, 4, 5.5, 6);
ALTER TABLE shapes.changed RENAME COLUMN b TO "B b";

CREATE VIEW shapes.seen AS
    SELECT id, id * 1.5 AS more, 'unknown' AS word, NULL AS nothing, id = 1 AS one, date '2024-02-29' - id AS before
    FROM shapes.parent;
CREATE MATERIALIZED VIEW shapes.materialised AS
    SELECT day, count(*) AS n, sum(n) AS total, avg(n) AS mean, array_agg(id ORDER BY id) AS ids
    FROM shapes.partitioned GROUP BY day;

CREATE EXTENSION IF NOT EXISTS file_fdw;
CREATE SERVER shapes_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE shapes.elsewhere (line text) SERVER shapes_files OPTIONS (program 'echo one; echo two');

CREATE TABLE shapes.collated (id int PRIMARY KEY, t text COLLATE "C", u text COLLATE "und-x-icu");
INSERT INTO shapes.collated VALUES (1, 'B', 'b'), (2, 'a', 'Ä');

-- 12 MB in one cell, compressed and not, inside the row and outside
CREATE TABLE shapes.large (id int, compressed text, plain text, bytes bytea, js json);
ALTER TABLE shapes.large ALTER plain SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO shapes.large
    SELECT g, repeat('é日', 2000000), repeat(md5(g::text), 327680), decode(repeat(md5(g::text), 65536), 'hex'),
        json_build_array(repeat('j', 1000000))
    FROM generate_series(1, 2) g;
INSERT INTO shapes.large VALUES (3);

CREATE TABLE shapes.modifiers (
    n1 numeric(4,0), n2 numeric(38,10), n3 numeric(3,5), n4 numeric(5,-2), n5 numeric(1,1),
    c1 char, c2 char(10), v varchar(5), b3 bit(3), vb varbit(9),
    t0 time(0), t3 time(3), ts0 timestamp(0), tz6 timestamptz(6), tt time(2) with time zone,
    i2 interval day to second(2), iy interval year,
    na numeric(5,2)[], ca char(3)[], ta timestamptz(3)[]
);
INSERT INTO shapes.modifiers VALUES
    (2013, 1234567890123456789012345678.0123456789, 0.00999, 12300, -0.9,
     'x', 'ab', 'äöü', B'101', B'0101',
     '22:59:59.6', '04:05:06.7895', '2024-02-29 23:59:59.6', '2024-02-29 00:00:00.000001+03', '04:05:06.789+02',
     '1 day 2 hours 3.456 s', '3 years',
     '{1.10,NULL,-999.99}', '{a,bc,NULL}', '{"2024-02-29 00:00:00.1234+00"}');
INSERT INTO shapes.modifiers DEFAULT VALUES;
INSERT INTO shapes.modifiers (n1, n4, n5) VALUES (-0.4, -49, 0.05);

CREATE TABLE shapes.lists (
    id int, a int[], s text[], b bytea[], j jsonb[], u uuid[], f float4[], o bool[], d date[], n numeric[], m money[]
);
INSERT INTO shapes.lists VALUES
    (1, '{1,NULL,3}', ARRAY['a, b', NULL, '', 'null', '{}', '\', '"', E'\t'], ARRAY['\x00'::bytea, ''],
     ARRAY['{"a": [1, "x, y"]}'::jsonb, 'null'], ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid],
     '{NaN,-0,1e-45}', '{t,f,NULL}', '{0044-03-15 BC,NULL}', '{1.10,NaN,NULL}', '{1234.50,NULL}'),
    (2, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
INSERT INTO shapes.lists (id) VALUES (3);
INSERT INTO shapes.lists (id, a, s) VALUES
    (4, ARRAY(SELECT g FROM generate_series(1, 10000) g), ARRAY(SELECT NULL::text FROM generate_series(1, 1000)));
