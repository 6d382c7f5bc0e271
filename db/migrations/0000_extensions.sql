-- What the tables stand on: trigram search, and Unicode lower case whatever the database's own locale is.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;
--> statement-breakpoint
-- lower() under the locale C would know ASCII alone, so the best collation that this server has is named.
-- The two lower-case sigmas are one letter, so that a word is found wherever it ends.
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
