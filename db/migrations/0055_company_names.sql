-- The dashboard also finds payments, bookings and subscriptions by the company in their billing details.
-- Writers wait, so that no record is stored without it. In the order in which writers lock the tables.
LOCK TABLE payments, bookings, subscriptions IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
-- The functions that derive the names: desk_derive_<table>, and desk_attach_record_triggers, which creates them and doubles the quotes.
DO $do$
DECLARE
  before text := $$(r\.billing ->> )('+)(name'+, r\.name, r\."companyName")\)\)$$;
  after text := $$\1\2\3, nullif(\1\2companyName\2, \2\2)))$$;
  deriving regprocedure;
BEGIN
  FOR deriving IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosrc ~ before LOOP
    EXECUTE regexp_replace(pg_get_functiondef(deriving), before, after);
  END LOOP;
END $do$;
--> statement-breakpoint
-- Derives the names again. Only the trigger that copies them runs: nothing else of the records changes.
DO $do$
DECLARE
  resource text;
BEGIN
  FOREACH resource IN ARRAY '{payments,bookings,subscriptions}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', resource);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER texts_updated', resource);
    EXECUTE format($update$
      UPDATE %I SET names = desk_plain(concat_ws(' ', record -> 'billing' ->> 'name', record -> 'billing' ->> 'companyName'))
      WHERE record -> 'billing' ->> 'companyName' <> ''$update$, resource);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', resource);
  END LOOP;
END $do$;
