-- Searches treat typographic punctuation as ASCII, so that O'Brien finds O’Brien and the other way round: phones type the curly apostrophe.
-- desk_search_text(text) folds what a search compares. desk_fold does not change, because coupon codes, email addresses and codes of tickets that
-- it compares are different if their punctuation is.
-- desk_plain also folds the capitals into which NFKD converts characters such as those of ᴬcme.
DO $do$
DECLARE
  unicode text := substring(pg_get_functiondef('desk_fold'::regproc) FROM 'COLLATE ([^)]+)');
  -- ` ´ ‘ ’ ‚ ‛ ʻ ʼ ′ ＇ become an apostrophe, “ ” „ ‟ « » ″ ＂ a quotation mark, and ‐ ‑ ‒ – — ― − － a hyphen.
  apostrophes text := '\0060\00B4\2018-\201B\02BB\02BC\2032\FF07';
  quotation_marks text := '\201C-\201F\00AB\00BB\2033\FF02';
  dashes text := '\2010-\2015\2212\FF0D';
  -- Most texts contain none of these characters, so they are looked for once before they are replaced.
  replacing text := format($$IF value ~ U&'[%1$s%2$s%3$s]' THEN
        value := regexp_replace(regexp_replace(regexp_replace(value, U&'[%1$s]', '''', 'g'), U&'[%2$s]', '"', 'g'), U&'[%3$s]', '-', 'g');
      END IF;$$, apostrophes, quotation_marks, dashes);
BEGIN
  -- Only functions of pg_catalog are called, because maintenance such as REINDEX has no other schema in its search_path.
  EXECUTE format($create$
    CREATE FUNCTION desk_search_text(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $body$
    BEGIN
      IF octet_length(value) = length(value) THEN
        RETURN translate(lower(value COLLATE "C"), '`', '''');
      END IF;
      %1$s
      RETURN translate(lower(value COLLATE %2$s), U&'\03C2', U&'\03C3');
    END $body$ $create$, replacing, unicode);
  -- NFKD would convert ´ to a space with an accent, and ″ to two apostrophes.
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION desk_plain(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $body$
    BEGIN
      IF octet_length(value) = length(value) THEN
        RETURN translate(lower(value COLLATE "C"), '`', '''');
      END IF;
      value := regexp_replace(normalize(translate(value, U&'\00B4\2033', '''"'), NFKD), U&'[\0300-\036F]', '', 'g');
      %1$s
      value := translate(lower(value COLLATE %2$s), U&'\03C2\00F8\0142\0111\0131\00F0', U&'\03C3oldid');
      RETURN replace(replace(value, U&'\00DF', 'ss'), U&'\00E6', 'ae');
    END $body$ $create$, replacing, unicode);
END $do$;
--> statement-breakpoint
-- Writers wait, so that no record is stored with the previous folding. In the order in which writers lock the tables.
LOCK TABLE payments, bookings, subscriptions, coupons, customers, tickets IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
-- The functions that derive the searched text: desk_derive_<table>, and desk_attach_record_triggers, which creates them.
DO $do$
DECLARE
  before text := 'text_searched text := desk_fold(';
  deriving regprocedure;
BEGIN
  FOR deriving IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND position(before IN prosrc) > 0 LOOP
    EXECUTE replace(pg_get_functiondef(deriving), before, 'text_searched text := desk_search_text(');
  END LOOP;
END $do$;
--> statement-breakpoint
-- Derives the stored texts again. Only the triggers that copy them run: nothing else of the records changes.
DO $do$
DECLARE
  resource text;
  has_names boolean;
BEGIN
  FOREACH resource IN ARRAY '{payments,bookings,subscriptions,coupons,customers}'::text[] LOOP
    has_names := EXISTS (SELECT FROM pg_attribute WHERE attrelid = resource::regclass AND attname = 'names');
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', resource);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER texts_updated', resource);
    EXECUTE format(CASE WHEN has_names THEN $update$
      UPDATE %1$I SET search = desk_search_text(search), names = %2$s
      WHERE search <> desk_search_text(search) OR names IS DISTINCT FROM %2$s$update$
      ELSE 'UPDATE %1$I SET search = desk_search_text(search) WHERE search <> desk_search_text(search)' END,
      resource, $$desk_plain(concat_ws(' ', record -> 'billing' ->> 'name', record ->> 'name', record ->> 'companyName'))$$);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', resource);
  END LOOP;
  ALTER TABLE tickets DISABLE TRIGGER USER;
  UPDATE tickets SET search = desk_search_text(search), plain = desk_plain(search)
  WHERE search <> desk_search_text(search) OR plain <> desk_plain(search);
  IF FOUND THEN
    -- The index of desk_guest_key, which contains the result of desk_plain.
    REINDEX INDEX tickets_guest;
  END IF;
  ALTER TABLE tickets ENABLE TRIGGER USER;
END $do$;
