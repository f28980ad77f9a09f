"""Values of every scalar type that PostgreSQL 15 and its extensions have: extremes, and what looks like something else.

A NULL is added to each by whoever uses them.
"""

from __future__ import annotations

_LONG = "x" * 5000
#: NUL is the one character that no text can hold.
_ODD = "a\tb\nc\\N \r\x0b\x07\x7f 'quoted' \"double\" € 日本 🦀 \N{LATIN SMALL LETTER E}\N{COMBINING ACUTE ACCENT}"

#: Input texts.
LITERALS: dict[str, tuple[str, ...]] = {
    "aclitem": ("=r/pg_monitor", "pg_monitor=arwdDxt/pg_monitor"),
    "bit": ("0", "1"),
    "bool": ("t", "f"),
    "box": ("(1,1),(0,0)", "(1e300,-1e300),(-1e300,-2e300)"),
    "bpchar": ("", "blanks behind   ", _ODD),
    "bytea": ("", "\\x00", "\\x00ff7f80", "\\x" + "ab" * 3000),
    "char": ("a", "", " ", "~"),
    "cid": ("0", "4294967295"),
    "cidr": ("10.0.0.0/8", "192.168.100.128/25", "::/0", "2001:4f8:3:ba::/64"),
    "circle": ("<(0,0),1>", "<(-1e-300,1e300),0>"),
    "date": (
        "1970-01-01", "4713-01-01 BC", "0001-12-31 BC", "0001-01-01", "9999-12-31", "10000-01-01", "5874897-12-31",
    ),
    "float4": ("0", "-0", "1e-45", "3.4028235e38", "-3.4028235e38", "0.1", "16777217", "NaN", "Infinity", "-Infinity"),
    "float8": (
        "0", "-0", "5e-324", "1.7976931348623157e308", "-1.7976931348623157e308", "0.1", "9007199254740993", "NaN",
        "Infinity", "-Infinity",
    ),
    "inet": ("10.0.0.1", "10.0.0.1/24", "::1", "2001:db8::ff00:42:8329/64", "0.0.0.0/0"),
    "int2": ("-32768", "-1", "0", "32767"),
    "int2vector": ("", "1", "-32768 0 32767"),
    "int4": ("-2147483648", "-1", "0", "2147483647"),
    "int8": ("-9223372036854775808", "-1", "0", "9007199254740993", "9223372036854775807"),
    "interval": (
        "0", "1 year 2 mons 3 days 04:05:06.7", "-178000000 years", "178000000 years", "1 microsecond",
        "-1 day +00:00:00.000001", "2562047788:00:54.775807", "-2562047788:00:54.775807", "1 mon -1 day",
        "P1Y-2M3DT-0.5S",
    ),
    "json": (
        '{"b" : 1,  "a":[1.10, null, true], "b": 2}', "null", '"text \\u00e9 \\n"', "123456789012345678901234567890",
        "{}", " [ ] ",
    ),
    "jsonb": (
        '{"b": 1, "a": [1.10, null, true], "b": 2}', "null", '"text é \\n"', "123456789012345678901234567890.10", "{}",
    ),
    "jsonpath": ("$.a[*] ? (@ > 1)", 'strict $."a b".size()'),
    "line": ("{1,2,3}", "{-1e300,1,1e-300}"),
    "lseg": ("[(0,0),(1,1)]", "[(-1e300,0.1),(1,1e-300)]"),
    "macaddr": ("08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"),
    "macaddr8": ("08:00:2b:01:02:03:04:05", "00:00:00:00:00:00:00:00"),
    "money": ("0", "-92233720368547758.08", "92233720368547758.07", "0.01", "1234.56"),
    "name": ("", "n" * 63, "a b\"c'"),
    "numeric": (
        "0", "0.00", "-0.0001", "1e-20", "99999999999999999999999999999999999999999", "1.500", "NaN", "Infinity",
        "-Infinity", "1" + "0" * 1000, "0." + "0" * 1000 + "1",
    ),
    "oid": ("0", "2147483648", "4294967295"),
    "oidvector": ("", "1", "0 2147483648 4294967295"),
    "path": ("((0,0),(1,1),(2,0))", "[(0,0),(1,1)]"),
    "pg_lsn": ("0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"),
    "pg_snapshot": ("10:20:10,14,15", "1:1:"),
    "point": ("(0,0)", "(1e300,-1e-300)", "(NaN,Infinity)"),
    "polygon": ("((0,0),(1,1),(2,0))", "((0.1,0.2))"),
    "refcursor": ("", "some cursor"),
    "regclass": ("pg_catalog.pg_class", "-", "4294967295"),
    "regcollation": ('pg_catalog."C"', "-"),
    "regconfig": ("pg_catalog.simple", "-"),
    "regdictionary": ("pg_catalog.simple", "-"),
    "regnamespace": ("pg_catalog", "-"),
    "regoper": ("0", "4294967295"),
    "regoperator": ("+(integer,integer)", "0"),
    "regproc": ("pg_catalog.now", "-"),
    "regprocedure": ("pg_catalog.abs(integer)", "-"),
    "regrole": ("pg_monitor", "-"),
    "regtype": ("timestamp with time zone", "integer[]", "-"),
    "text": ("", " ", "null", "\\N", "NULL", _ODD, _LONG, '"', ",", "'"),
    "tid": ("(0,0)", "(4294967295,65535)"),
    "time": ("00:00:00", "23:59:59.999999", "04:05:06.1", "12:00:00"),
    "timestamp": (
        "1970-01-01 00:00:00", "4713-01-01 00:00:00 BC", "0044-03-15 12:00:00.000001 BC", "0001-01-01 00:00:00",
        "9999-12-31 23:59:59.999999", "294246-12-31 23:59:59.999999", "2024-02-29 00:00:00.5",
        "1969-12-31 23:59:59.999999",
    ),
    "timestamptz": (
        "1970-01-01 00:00:00+00", "4713-01-01 00:00:00+00 BC", "0044-03-15 12:00:00.000001+00 BC",
        "0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00", "294246-12-31 23:59:59.999999+00",
        "2024-02-29 00:00:00.5+03", "2024-10-27 02:30:00 Europe/Berlin",
    ),
    "timetz": ("00:00:00+15:59", "24:00:00-15:59", "04:05:06.789+02", "12:00:00+05:30:15"),
    "tsquery": ("'fat' & ( 'rat' | !'cat' )", "'super':*A", ""),
    "tsvector": ("'a':1A 'cat':3,5B 'it''s'", ""),
    "txid_snapshot": ("10:20:10,14,15", "1:1:"),
    "uuid": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
             "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
    "varbit": ("", "1", "01" * 40),
    "varchar": ("", "null", _ODD),
    "xid": ("0", "4294967295"),
    "xid8": ("0", "18446744073709551615"),
    "xml": ("<a/>", '<a b="1">é &amp; <![CDATA[<x>]]></a>', "text only", '<?xml version="1.0"?><a/>'),
    # -- ranges
    "int4range": ("empty", "[1,5)", "(,)", "[-2147483648,2147483647)", "(,0)"),
    "int8range": ("empty", "[1,5)", "[9223372036854775806,)"),
    "numrange": ("empty", "[1.10,5.00]", "(-Infinity,Infinity)", "(,NaN]"),
    "tsrange": ("empty", '["2024-02-29 00:00:00.000001",infinity)', "(,)"),
    "tstzrange": ("empty", '["2024-02-29 00:00:00+03",)', "[-infinity,infinity]"),
    "daterange": ("empty", "[2024-02-29,infinity)", "[4713-01-01 BC,5874897-12-31)"),
    "int4multirange": ("{}", "{[1,5),[7,9)}"),
    "int8multirange": ("{}", "{(,1),[9223372036854775806,)}"),
    "nummultirange": ("{}", "{[1.10,2.0),(3,)}"),
    "tsmultirange": ("{}", '{["2024-02-29 00:00:00","2024-03-01 00:00:00")}'),
    "tstzmultirange": ("{}", '{["2024-02-29 00:00:00+03",infinity)}'),
    "datemultirange": ("{}", "{[2024-02-29,2024-03-01),[2025-01-01,infinity)}"),
    # -- domains of the server
    "cardinal_number": ("0", "2147483647"),
    "character_data": ("", _ODD),
    "sql_identifier": ("id", "n" * 63),
    "time_stamp": ("2024-02-29 00:00:00.12+00",),
    "yes_or_no": ("YES", "NO"),
    # -- extensions
    "citext": ("", "Ab", "ÀÉ", _ODD),
    "cube": ("(1, 2, 3)", "(0),(1)", "(1e300, -1e-300)"),
    "earth": ("(6378168, 0, 0)",),
    "ean13": ("978-0-393-04002-9",),
    "hstore": ("", '"a"=>"1", "b"=>NULL', '"quo\\"te"=>"back\\\\slash, é"'),
    "isbn": ("0-393-04002-X",),
    "isbn13": ("978-0-393-04002-9",),
    "ismn": ("M-2306-7118-7",),
    "ismn13": ("979-0-2306-7118-7",),
    "issn": ("1436-4522",),
    "issn13": ("977-1436-452-00-8",),
    "lo": ("0", "4294967295"),
    "lquery": ("Top.*{1,2}.!x|y@*.z%",),
    "ltree": ("", "Top.Science.Astronomy_1"),
    "ltxtquery": ("Europe & Russia*@ & !Transportation",),
    "query_int": ("1&(2|3)", "!1"),
    "seg": ("6.50", "~6.5", "5.0 .. 6.0", "<4.00", "1 .. "),
    "upc": ("220356483481",),
    # -- ours, see e2e_every_type
    "mood": ("sad", "it's, {\"}", "日本", "NULL"),
    "float8range": ("empty", "[0.1,Infinity)", "[1e-300,)"),
    "float8multirange": ("{}", "{[0.1,0.2),(3,)}"),
    "pair": ("(1,a)", "(,)", '(-2147483648,"quo""te, \\\\ (é)")'),
    "nest": ('("(1,a)","{1,2}",sad)', "(,,)"),
    "positive": ("0.00", "99999999.99"),
    "small positive": ("0.01",),
    "ints": ("{}", "{1,NULL,3}"),
    "word": ("", _ODD),
    "whole_pair": ("(1,b)",),
    "far range": ("[1,5)", "empty"),
    "n" * 63: ("a", "b"),
}  # fmt: skip

#: Types that take no text, with a query that gives a value.
QUERIES: dict[str, str] = {
    "pg_node_tree": "SELECT ev_action FROM pg_catalog.pg_rewrite LIMIT 1",
    "pg_ndistinct": "SELECT stxdndistinct FROM pg_catalog.pg_statistic_ext_data LIMIT 1",
    "pg_dependencies": "SELECT stxddependencies FROM pg_catalog.pg_statistic_ext_data LIMIT 1",
    "pg_mcv_list": "SELECT stxdmcv FROM pg_catalog.pg_statistic_ext_data LIMIT 1",
}

#: What lives inside indexes: no statement can make a value of these, so that NULL is all there is.
UNMAKEABLE: frozenset[str] = frozenset(
    {
        "gtsvector", "pg_brin_bloom_summary", "pg_brin_minmax_multi_summary", "gbtreekey2", "gbtreekey4", "gbtreekey8",
        "gbtreekey16", "gbtreekey32", "gbtreekey_var", "ghstore", "gtrgm", "intbig_gkey", "ltree_gist",
    }
)  # fmt: skip
