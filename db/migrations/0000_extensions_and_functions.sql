-- Extensions, functions and the role of the server: everything that the tables need.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;
--> statement-breakpoint
-- Grants the server's role the right to read and write rows, and nothing else. GRANT desk_server TO a login role to let it serve.
-- If the migrating user may not create roles, an administrator creates it first.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desk_server') THEN
    CREATE ROLE desk_server NOLOGIN;
  END IF;
EXCEPTION
  -- Another database's migration created it at the same time.
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'The role desk_server is missing and this user may not create roles. The server has to connect as the owner of the tables.';
END $$;
--> statement-breakpoint
-- Default privileges apply to every table and sequence that this and later migrations create.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'desk_server') THEN
    GRANT USAGE ON SCHEMA public, drizzle TO desk_server;
    GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO desk_server;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO desk_server;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO desk_server;
  END IF;
END $$;
--> statement-breakpoint
-- desk_fold(text): Unicode lower case, the same in every database. Under the locale C, lower() alone folds only ASCII, so the
-- collation is named. The two lower-case sigmas become one letter, so that a Greek word matches at any position.
DO $$
DECLARE
  unicode text;
BEGIN
  SELECT format('pg_catalog.%I', collname) INTO unicode
  FROM pg_collation
  WHERE collname IN ('pg_c_utf8', 'und-x-icu') AND collnamespace = 'pg_catalog'::regnamespace
    AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))
  ORDER BY collname = 'pg_c_utf8' DESC
  LIMIT 1;
  IF unicode IS NULL OR (SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()) <> 'UTF8' THEN
    RAISE EXCEPTION 'Checkout Desk needs a database with the encoding UTF8, on PostgreSQL 17 or newer, or on 15 or 16 built with ICU.';
  END IF;
  EXECUTE format(
    'CREATE FUNCTION desk_fold(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
     RETURN translate(lower(value COLLATE %s), U&''\03C2'', U&''\03C3'')', unicode);
END $$;
--> statement-breakpoint
-- Returns a slot of record_counts that no other transaction is writing to, and locks it; a new slot if all are in use.
-- Writers therefore never wait for each other and cannot deadlock.
CREATE FUNCTION desk_count_slot(seller text, counted text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  free bigint;
BEGIN
  SELECT slot INTO free FROM record_counts
  WHERE seller_id = seller AND resource = counted AND page_id = '' AND status = ''
  LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  RETURN coalesce(free, nextval('record_count_slots'));
END $$;
--> statement-breakpoint
-- Counts inserted or deleted records of a table with the columns page_id and status. Each record is counted in four rows: all
-- records, its status, its page, and both. `changes` grows with every statement: as long as its sum is the same, nothing changed.
CREATE FUNCTION desk_count_by_page_and_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  seller text;
  own bigint;
BEGIN
  FOR seller IN SELECT DISTINCT seller_id FROM touched LOOP
    own := desk_count_slot(seller, TG_TABLE_NAME);
    INSERT INTO record_counts AS counted (seller_id, resource, page_id, status, slot, total, changes)
    SELECT seller, TG_TABLE_NAME, coalesce(page_id, ''), coalesce(status, ''), own, sign * count(*), 1
    FROM touched WHERE seller_id = seller
    GROUP BY GROUPING SETS ((), (status), (page_id), (page_id, status))
    HAVING (grouping(page_id) = 1 OR page_id IS NOT NULL) AND (grouping(status) = 1 OR status IS NOT NULL)
    ON CONFLICT (seller_id, resource, page_id, status, slot) DO UPDATE
      SET total = counted.total + excluded.total, changes = counted.changes + 1;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Counts updated records of a table with the columns page_id and status.
CREATE FUNCTION desk_recount_by_page_and_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  seller text;
  own bigint;
BEGIN
  FOR seller IN SELECT seller_id FROM new_rows UNION SELECT seller_id FROM old_rows LOOP
    own := desk_count_slot(seller, TG_TABLE_NAME);
    INSERT INTO record_counts AS counted (seller_id, resource, page_id, status, slot, total, changes)
    SELECT seller, TG_TABLE_NAME, coalesce(page_id, ''), coalesce(status, ''), own, sum(sign), 1
    FROM (
      SELECT page_id, status, 1 AS sign FROM new_rows WHERE seller_id = seller
      UNION ALL SELECT page_id, status, -1 FROM old_rows WHERE seller_id = seller
    ) AS both_sides
    GROUP BY GROUPING SETS ((), (status), (page_id), (page_id, status))
    HAVING (grouping(page_id) = 1 OR page_id IS NOT NULL) AND (grouping(status) = 1 OR status IS NOT NULL)
      AND (sum(sign) <> 0 OR grouping(page_id, status) = 3)
    ON CONFLICT (seller_id, resource, page_id, status, slot) DO UPDATE
      SET total = counted.total + excluded.total, changes = counted.changes + 1;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Counts inserted, updated or deleted records of a table without the columns page_id and status.
CREATE FUNCTION desk_count_all() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 0 ELSE -1 END;
  seller text;
  records bigint;
BEGIN
  FOR seller, records IN SELECT seller_id, count(*) FROM touched GROUP BY seller_id LOOP
    INSERT INTO record_counts AS counted (seller_id, resource, page_id, status, slot, total, changes)
    VALUES (seller, TG_TABLE_NAME, '', '', desk_count_slot(seller, TG_TABLE_NAME), sign * records, 1)
    ON CONFLICT (seller_id, resource, page_id, status, slot) DO UPDATE
      SET total = counted.total + excluded.total, changes = counted.changes + 1;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Sets the counts of a truncated table to zero. TRUNCATE has waited for every writer of the table, so no row of its counts is locked.
CREATE FUNCTION desk_reset_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_counts SET total = 0, changes = changes + 1 WHERE resource = TG_TABLE_NAME;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Attaches the triggers of a record table. Every column except the owner, the record and its secrets is derived from the record,
-- on each write, so that the copies cannot disagree.
--   searched    paths of the members that a search reads, such as '{customerEmail,billing.name}'
--   gateway_id  the member that holds the payment gateway's id, if there is one
--   counted     whether record_counts keeps the table's totals
-- Which other columns are derived follows from the table. The generated function desk_derive_<table> parses the JSON once, into the
-- members that it needs; a generic one would run dynamic SQL for each row. Calling this again replaces the triggers.
CREATE FUNCTION desk_attach_record_triggers(records regclass, searched text[], gateway_id text DEFAULT NULL, counted boolean DEFAULT true)
RETURNS void LANGUAGE plpgsql AS $attach$
DECLARE
  table_name text := (SELECT relname FROM pg_class WHERE oid = records);
  present text[] := ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = records AND attnum > 0 AND NOT attisdropped);
  members_type text := format('desk_%s_members', table_name);
  derive text := format('desk_derive_%s', table_name);
  has_page_and_status boolean := present @> '{page_id,status}';
  members text[] := '{"\"sellerId\" text"}';
  texts text[] := '{}';
  written text[] := '{seller_id,record}';
  assignments text[] := '{}';
  derived record;
  steps text[];
  operation text;
BEGIN
  IF counted AND NOT has_page_and_status AND present && '{page_id,status}' THEN
    RAISE EXCEPTION 'The table % needs both page_id and status, or neither.', records;
  END IF;
  -- Each derived column, the members that it is read from, and its expression.
  FOR derived IN
    SELECT * FROM (VALUES
      ('id', '{id text}'::text[], 'r.id'),
      ('created_at', '{"\"createdAt\" timestamptz"}', 'r."createdAt"'),
      ('status', '{status text}', CASE WHEN 'revoked_at' = ANY (present)
        THEN 'CASE WHEN NEW.revoked_at IS NULL THEN r.status ELSE ''CANCELED'' END' ELSE 'r.status' END),
      ('page_id', '{"\"pageId\" text"}', 'r."pageId"'),
      ('order_id', '{"\"orderId\" text"}', 'r."orderId"'),
      ('amount', '{amount numeric}', 'r.amount'),
      ('currency', '{currency text}', 'r.currency'),
      ('livemode', '{livemode boolean}', 'r.livemode'),
      ('revenue', '{status text,amount numeric,"\"amountPaid\" numeric"}', 'CASE r.status WHEN ''paid'' THEN r.amount WHEN ''partial_refund'' '
        'THEN r.amount WHEN ''partially_paid'' THEN coalesce(r."amountPaid", 0) ELSE 0 END'),
      -- An index entry has to fit into a third of a page, so longer texts are kept out of the indexes.
      ('gateway_id', CASE WHEN gateway_id IS NULL THEN '{}' ELSE ARRAY[format('%I text', gateway_id)] END,
        CASE WHEN gateway_id IS NULL THEN 'NULL' ELSE format('CASE WHEN octet_length(r.%1$I) <= 255 THEN r.%1$I END', gateway_id) END),
      ('search', '{}', CASE WHEN 'search_long' = ANY (present)
        THEN 'CASE WHEN octet_length(text_searched) <= 1000 THEN text_searched END' ELSE 'text_searched' END),
      ('search_long', '{}', 'CASE WHEN octet_length(text_searched) > 1000 THEN text_searched END')
    ) AS known (name, members, expression)
    WHERE known.name = ANY (present)
  LOOP
    members := members || derived.members;
    written := written || derived.name;
    assignments := assignments || format('NEW.%I := %s;', derived.name, derived.expression);
  END LOOP;
  IF 'revoked_at' = ANY (present) THEN
    written := written || 'revoked_at'::text;
  END IF;
  FOR steps IN SELECT string_to_array(path, '.') FROM unnest(searched) AS path LOOP
    members := members || format('%I %s', steps[1], CASE WHEN cardinality(steps) > 1 THEN 'json' ELSE 'text' END);
    texts := texts || CASE WHEN cardinality(steps) > 1
      THEN format('coalesce(r.%I #>> %L, '''')', steps[1], steps[2:]) ELSE format('coalesce(r.%I, '''')', steps[1]) END;
  END LOOP;

  EXECUTE format('DROP TYPE IF EXISTS %I', members_type);
  EXECUTE format('CREATE TYPE %I AS (%s)', members_type, (SELECT string_agg(DISTINCT member, ', ') FROM unnest(members) AS member));
  -- chr(1) separates the searched texts: no search term may hold it, so a match never spans two of them.
  EXECUTE format($derive$
    CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      r %2$I := json_populate_record(NULL::%2$I, NEW.record);
      text_searched text := desk_fold(%3$s);
    BEGIN
      IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
        RAISE EXCEPTION 'the record belongs to another seller' USING ERRCODE = 'check_violation';
      END IF;
      %4$s
      RETURN NEW;
    END $body$ $derive$,
    derive, members_type, array_to_string(texts, ' || chr(1) || '), array_to_string(assignments, E'\n      '));
  EXECUTE format('CREATE OR REPLACE TRIGGER derive BEFORE INSERT OR UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION %I()',
    array_to_string(written, ', '), records, derive);

  IF counted THEN
    FOREACH operation IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
      EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
        CASE operation WHEN 'INSERT' THEN 'count_inserted' WHEN 'UPDATE' THEN 'count_updated' ELSE 'count_deleted' END, operation, records,
        CASE WHEN operation = 'DELETE' THEN 'OLD TABLE AS touched'
          WHEN operation = 'UPDATE' AND has_page_and_status THEN 'OLD TABLE AS old_rows NEW TABLE AS new_rows'
          ELSE 'NEW TABLE AS touched' END,
        CASE WHEN NOT has_page_and_status THEN 'desk_count_all'
          WHEN operation = 'UPDATE' THEN 'desk_recount_by_page_and_status' ELSE 'desk_count_by_page_and_status' END);
    END LOOP;
    EXECUTE format('CREATE OR REPLACE TRIGGER count_truncated AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION desk_reset_counts()', records);
  END IF;
END $attach$;
