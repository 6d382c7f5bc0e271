ALTER TABLE "events" ALTER COLUMN "data" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "record_id" text;--> statement-breakpoint
-- IDs in order of time halve what an index entry of an event costs.
ALTER TABLE "events" ALTER COLUMN "id" SET DEFAULT 'evt_' || lpad(to_hex((date_part('epoch', clock_timestamp()) * 1048576)::bigint), 13, '0') || right(gen_random_uuid()::text, 11);--> statement-breakpoint
CREATE INDEX "events_of_record" ON "events" USING btree ("seller_id","record_id") WHERE "events"."data" is null;
--> statement-breakpoint
-- An event has the data of its record, which is stored only when the record changes again: with both, each event wrote the record a second time.
-- Only the index of the record's events is read: a cached plan that was made for a small table must not read a large one.
CREATE FUNCTION desk_keep_event_data() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode TO force_generic_plan SET enable_seqscan TO off AS $$
DECLARE
  before record;
BEGIN
  FOR before IN SELECT seller_id, id, record FROM old_rows LOOP
    UPDATE events SET data = before.record
    WHERE seller_id = before.seller_id AND record_id = before.id AND data IS NULL AND split_part(type, '.', 1) = TG_ARGV[0];
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Writes the events of inserted or updated records, which have no data yet (desk_keep_event_data). Arguments: the prefix of the types, and the
-- statuses with a type of their own. PL/pgSQL looks up the columns of a statement when it first runs it, so only tables with such statuses need
-- the column `status`.
CREATE OR REPLACE FUNCTION desk_write_record_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  prefix text := TG_ARGV[0];
  statuses text[] := TG_ARGV[1];
BEGIN
  IF TG_OP = 'INSERT' AND statuses = '{}' THEN
    INSERT INTO events (seller_id, type, record_id) SELECT seller_id, prefix || '.created', id FROM new_rows;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO events (seller_id, type, record_id)
    SELECT seller_id, prefix || '.' || change, id
    FROM new_rows CROSS JOIN LATERAL (SELECT 'created' AS change UNION ALL SELECT status WHERE status = ANY (statuses)) AS changes;
  ELSIF statuses = '{}' THEN
    INSERT INTO events (seller_id, type, record_id)
    SELECT new_rows.seller_id, prefix || '.updated', new_rows.id
    FROM new_rows JOIN old_rows ON old_rows.seller_id = new_rows.seller_id AND old_rows.id = new_rows.id
    WHERE new_rows.record::text <> old_rows.record::text;
  ELSE
    INSERT INTO events (seller_id, type, record_id)
    SELECT new_rows.seller_id, prefix || '.' || change, new_rows.id
    FROM new_rows JOIN old_rows ON old_rows.seller_id = new_rows.seller_id AND old_rows.id = new_rows.id
    CROSS JOIN LATERAL (
      SELECT 'updated' AS change
      UNION ALL SELECT new_rows.status WHERE new_rows.status = ANY (statuses) AND new_rows.status IS DISTINCT FROM old_rows.status) AS changes
    WHERE new_rows.record::text <> old_rows.record::text;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Attaches the triggers that write a record table's events. Imports turn them off by setting desk.events to 'off'. The data of earlier events is
-- kept even then, and first: triggers run in the order of their names.
--   prefix    the first part of the types, such as 'payment'
--   statuses  the statuses with a type of their own, such as '{paid}' for payment.paid
CREATE OR REPLACE FUNCTION desk_attach_event_triggers(records regclass, prefix text, statuses text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  operation text;
BEGIN
  FOREACH operation IN ARRAY ARRAY['INSERT', 'UPDATE'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT '
      'WHEN (current_setting(''desk.events'', true) IS DISTINCT FROM ''off'') EXECUTE FUNCTION desk_write_record_events(%L, %L)',
      CASE operation WHEN 'INSERT' THEN 'write_created_events' ELSE 'write_updated_events' END, operation, records,
      CASE operation WHEN 'INSERT' THEN 'NEW TABLE AS new_rows' ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, prefix, statuses);
  END LOOP;
  FOREACH operation IN ARRAY ARRAY['UPDATE', 'DELETE'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION desk_keep_event_data(%L)',
      CASE operation WHEN 'UPDATE' THEN 'keep_data_of_updated' ELSE 'keep_data_of_deleted' END, operation, records, prefix);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT desk_attach_event_triggers('payments', 'payment', '{paid,refunded}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('bookings', 'booking', '{paid,refunded}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('subscriptions', 'subscription', '{canceled}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('coupons', 'coupon', '{}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('customers', 'customer', '{}');
