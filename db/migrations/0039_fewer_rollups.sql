-- Sums of orders are kept for three hours, and per checkout page for four weeks, instead of 15 minutes and a day: far fewer rows, which an import
-- changes and the overview reads. What a period has in addition to whole buckets is read from an index of the orders.
-- Locks the tables in the order in which writers lock them.
LOCK TABLE payments, bookings, subscriptions IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
DROP FUNCTION desk_attach_rollup_triggers(regclass, text);
--> statement-breakpoint
-- Attaches the triggers that keep `rollups` in step with a record table. Creates two views: desk_facts_of_<table> is the part of each record
-- that is summed up, desk_rollups_of_<table> the sums that `rollups` should contain. A writer adds to a slot that it has locked
-- (desk_count_slot), so writers never wait for each other.
--   facts  a query of the records, in the place of %s: seller_id, `at`, the time that decides the bucket, currency, page_id, revenue, orders
--          and refunds
--   levels the levels: name, length of a bucket, and whether each checkout page has its own sums, which orders without a page have not
CREATE FUNCTION desk_attach_rollup_triggers(records regclass, facts text, levels text) RETURNS void LANGUAGE plpgsql AS $attach$
DECLARE
  table_name text := (SELECT relname FROM pg_class WHERE oid = records);
  -- Each fact with its sign: -1 if its record was removed. An index entry has to fit into a third of a page, so a currency is cut.
  signed text := format('SELECT seller_id, at, coalesce(left(upper(currency), 64), %L) AS currency, coalesce(page_id, %1$L) AS page_id,
    revenue, orders, refunds, %%s AS sign FROM (%2$s) AS fact', '', facts);
  sums text := format($sums$
    SELECT seller_id, %L AS resource, level.name AS level, date_bin(level.length, at, '2000-01-01 00:00:00+00') AS bucket, currency,
      CASE WHEN level.by_page THEN page_id ELSE '' END AS page_id,
      sum(sign * revenue) AS revenue, sum(sign * orders)::bigint AS orders, sum(sign * refunds)::bigint AS refunds
    FROM (%%s) AS signed JOIN (VALUES %s) AS level (name, length, by_page) ON NOT level.by_page OR page_id <> ''
    GROUP BY 1, 3, 4, 5, 6
    HAVING (sum(sign * revenue), sum(sign * orders), sum(sign * refunds)) <> (0, 0, 0)$sums$, table_name, levels);
  event record;
BEGIN
  EXECUTE format('CREATE OR REPLACE VIEW %I AS %s', 'desk_facts_of_' || table_name, format(signed, '1', records));
  EXECUTE format('CREATE OR REPLACE VIEW %I AS %s', 'desk_rollups_of_' || table_name,
    format(sums, format('SELECT * FROM %I', 'desk_facts_of_' || table_name)));
  FOR event IN
    SELECT * FROM (VALUES
      ('INSERT', 'inserted', 'NEW TABLE AS new_rows', format(signed, '1', 'new_rows')),
      ('DELETE', 'deleted', 'OLD TABLE AS old_rows', format(signed, '-1', 'old_rows')),
      ('UPDATE', 'updated', 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
        format(signed, '1', 'new_rows') || ' UNION ALL ' || format(signed, '-1', 'old_rows'))
    ) AS known (operation, name, transition, source)
  LOOP
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        WITH change AS MATERIALIZED (%2$s), own AS MATERIALIZED (
          SELECT seller_id, desk_count_slot(seller_id, TG_TABLE_NAME) AS slot FROM (SELECT DISTINCT seller_id FROM change) AS changed
        )
        INSERT INTO rollups AS stored (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
        SELECT seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds FROM change JOIN own USING (seller_id)
        ON CONFLICT (seller_id, level, resource, bucket, currency, page_id, slot) DO UPDATE
          SET revenue = stored.revenue + excluded.revenue, orders = stored.orders + excluded.orders, refunds = stored.refunds + excluded.refunds;
        RETURN NULL;
      END $body$ $function$, format('desk_roll_up_%s_%s', event.name, table_name), format(sums, event.source));
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      'roll_up_' || event.name, event.operation, records, event.transition, format('desk_roll_up_%s_%s', event.name, table_name));
  END LOOP;
  EXECUTE format('CREATE OR REPLACE TRIGGER roll_up_truncated AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION desk_clear_rollups()', records);
END $attach$;
--> statement-breakpoint
-- Sales are paid and refunded orders. A partially refunded order counts in full, because its record does not say how much was refunded.
SELECT desk_attach_rollup_triggers(name::regclass, $$
  SELECT seller_id, created_at AS at, currency, page_id, revenue, (status <> 'refunded')::int AS orders,
    (status IN ('partial_refund', 'refunded'))::int AS refunds
  FROM %s WHERE status IN ('paid', 'partially_paid', 'partial_refund', 'refunded') AND livemode IS NOT FALSE
$$, $$('three_hours', interval '3 hours', false), ('page_4_weeks', '28 days', true)$$)
FROM unnest('{payments,bookings}'::text[]) AS name;
--> statement-breakpoint
-- The sums of the previous levels contain those of the new ones, so no order is read. They are stored in the order in which they are read.
CREATE TEMPORARY TABLE former ON COMMIT DROP AS
SELECT seller_id, resource, level.name AS level, date_bin(level.length, bucket, '2000-01-01 00:00:00+00') AS bucket, currency, page_id,
  sum(revenue) AS revenue, sum(orders) AS orders, sum(refunds) AS refunds
FROM rollups JOIN (VALUES
  (false, 'quarter', 'three_hours', interval '3 hours'), (false, 'day', 'page_4_weeks', '28 days'),
  (true, 'quarter', 'quarter', '15 minutes'), (true, 'day', 'day', '1 day')
) AS level (of_subscriptions, former, name, length)
  ON level.former = rollups.level AND level.of_subscriptions = (resource = 'subscriptions') AND (level.name <> 'page_4_weeks' OR page_id <> '')
GROUP BY 1, 2, 3, 4, 5, 6
HAVING (sum(revenue), sum(orders), sum(refunds)) <> (0, 0, 0);
--> statement-breakpoint
TRUNCATE rollups;
--> statement-breakpoint
INSERT INTO rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
SELECT seller_id, resource, level, bucket, currency, page_id, own.slot, revenue, orders, refunds
FROM former, (SELECT nextval('record_count_slots') AS slot) AS own
ORDER BY seller_id, level, resource, bucket, currency, page_id;
--> statement-breakpoint
-- The parts of periods are read from these indexes alone. An index entry has to fit into a third of a page, so a currency is cut.
CREATE FUNCTION desk_shorten_currency() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.currency := left(NEW.currency, 64);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER derive_short_currency BEFORE INSERT OR UPDATE ON payments FOR EACH ROW WHEN (octet_length(NEW.currency) > 64)
EXECUTE FUNCTION desk_shorten_currency();
--> statement-breakpoint
CREATE TRIGGER derive_short_currency BEFORE INSERT OR UPDATE ON bookings FOR EACH ROW WHEN (octet_length(NEW.currency) > 64)
EXECUTE FUNCTION desk_shorten_currency();
--> statement-breakpoint
ALTER TABLE payments DISABLE TRIGGER USER;
--> statement-breakpoint
ALTER TABLE bookings DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE payments SET currency = left(currency, 64) WHERE length(currency) > 64;
--> statement-breakpoint
UPDATE bookings SET currency = left(currency, 64) WHERE length(currency) > 64;
--> statement-breakpoint
ALTER TABLE payments ENABLE TRIGGER USER;
--> statement-breakpoint
ALTER TABLE bookings ENABLE TRIGGER USER;
--> statement-breakpoint
DROP INDEX payments_status;
--> statement-breakpoint
DROP INDEX bookings_status;
--> statement-breakpoint
CREATE INDEX payments_status ON payments USING btree (seller_id, status, created_at, id) INCLUDE (currency, revenue, page_id, livemode);
--> statement-breakpoint
CREATE INDEX bookings_status ON bookings USING btree (seller_id, status, created_at, id) INCLUDE (currency, revenue, page_id, livemode);
