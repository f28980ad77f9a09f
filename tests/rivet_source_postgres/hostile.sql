-- A schema whose functions, operators, casts' targets and types have the names and arguments of the server's own.
-- Whatever is called without its schema, while this one comes first in the search path, says so.
SET client_min_messages = error;
SET search_path = '';
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
DO $do$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT p.proname, p.proargtypes, p.prokind, pg_get_function_identity_arguments(p.oid) AS arguments,
            CASE WHEN p.prorettype = ANY ('{internal,trigger,event_trigger,record,cstring}'::regtype[]) THEN 'text'
                ELSE format_type(p.prorettype, NULL) END AS result
        FROM pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace
            AND NOT p.proargtypes::oid[] && '{internal,cstring,trigger,event_trigger}'::regtype[]::oid[]
    LOOP
        BEGIN
            EXECUTE format(
                'CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN RAISE %L; END $f$',
                one.proname, replace(replace(one.arguments, 'VARIADIC "any"', 'anyelement'), '"any"', 'anyelement'),
                one.result, 'evil ran as ' || one.proname || '(' || one.arguments || ')'
            );
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
    FOR one IN
        SELECT o.oprname, p.proname, format_type(NULLIF(o.oprleft, 0), NULL) AS lefts,
            format_type(NULLIF(o.oprright, 0), NULL) AS rights
        FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode
        WHERE o.oprnamespace = 'pg_catalog'::regnamespace
    LOOP
        BEGIN
            EXECUTE format(
                'CREATE OPERATOR evil.%s (FUNCTION = evil.%I%s%s)', one.oprname, one.proname,
                ', LEFTARG = ' || one.lefts, ', RIGHTARG = ' || one.rights
            );
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
    FOR one IN
        SELECT t.typname FROM pg_type t
        WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'r', 'm') AND t.typcategory <> 'A'
    LOOP
        EXECUTE format('CREATE TYPE evil.%I AS (evil int)', one.typname);
    END LOOP;
    FOR one IN SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind IN ('r', 'v')
    LOOP
        EXECUTE format('CREATE VIEW evil.%I AS SELECT 1 AS evil', one.relname);
    END LOOP;
END
$do$;
