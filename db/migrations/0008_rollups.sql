-- Written by drizzle-kit from db/schema, with the storage settings, functions and triggers of the rollups.
CREATE TABLE "rollups" (
	"seller_id" text NOT NULL,
	"resource" text NOT NULL,
	"level" text NOT NULL,
	"bucket" timestamp with time zone NOT NULL,
	"currency" text NOT NULL,
	"page_id" text NOT NULL,
	"slot" bigint NOT NULL,
	"revenue" numeric NOT NULL,
	"orders" bigint NOT NULL,
	"refunds" bigint NOT NULL,
	CONSTRAINT "rollups_pk" PRIMARY KEY("seller_id","level","resource","bucket","currency","page_id","slot")
) WITH (fillfactor = 80);
--> statement-breakpoint
DROP INDEX "subscriptions_ended";
--> statement-breakpoint
-- Attaches the triggers that keep `rollups` in step with a record table. Creates two views: desk_facts_of_<table> is the part of each record
-- that is summed up, desk_rollups_of_<table> the sums that `rollups` should contain. A writer adds to a slot that it has locked
-- (desk_count_slot), so writers never wait for each other.
--   facts  a query of the records, in the place of %s: seller_id, `at`, the time that decides the bucket, currency, page_id, revenue, orders
--          and refunds
CREATE FUNCTION desk_attach_rollup_triggers(records regclass, facts text) RETURNS void LANGUAGE plpgsql AS $attach$
DECLARE
  table_name text := (SELECT relname FROM pg_class WHERE oid = records);
  -- Each fact with its sign: -1 if its record was removed. An index entry has to fit into a third of a page, so a currency is cut.
  signed text := format('SELECT seller_id, at, coalesce(left(upper(currency), 64), %L) AS currency, coalesce(page_id, %1$L) AS page_id,
    revenue, orders, refunds, %%s AS sign FROM (%2$s) AS fact', '', facts);
  sums text := format($sums$
    SELECT seller_id, %L AS resource, level.name AS level, date_bin(level.length, at, '2000-01-01 00:00:00+00') AS bucket, currency,
      CASE WHEN level.by_page THEN page_id ELSE '' END AS page_id,
      sum(sign * revenue) AS revenue, sum(sign * orders)::bigint AS orders, sum(sign * refunds)::bigint AS refunds
    FROM (%%s) AS signed CROSS JOIN (VALUES ('quarter', interval '15 minutes', false), ('day', '1 day', true)) AS level (name, length, by_page)
    GROUP BY 1, 3, 4, 5, 6
    HAVING (sum(sign * revenue), sum(sign * orders), sum(sign * refunds)) <> (0, 0, 0)$sums$, table_name);
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
-- Deletes the sums of a truncated table. TRUNCATE has waited for every writer of the table, so none of them is locked.
CREATE FUNCTION desk_clear_rollups() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM rollups WHERE resource = TG_TABLE_NAME;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Sales are paid and refunded orders. A partially refunded order counts in full, because its record does not say how much was refunded.
SELECT desk_attach_rollup_triggers(name::regclass, $$
  SELECT seller_id, created_at AS at, currency, page_id, revenue, (status <> 'refunded')::int AS orders,
    (status IN ('partial_refund', 'refunded'))::int AS refunds
  FROM %s WHERE status IN ('paid', 'partially_paid', 'partial_refund', 'refunded') AND livemode IS NOT FALSE
$$)
FROM unnest('{payments,bookings}'::text[]) AS name;
--> statement-breakpoint
-- Active subscriptions, including trials. One that is canceled was active until then: it adds 1 when it was created and subtracts 1 when it was
-- canceled. The sum up to an instant is therefore the number that was active then, and the sum of everything is the number that is active now.
SELECT desk_attach_rollup_triggers('subscriptions', $$
  SELECT seller_id, change.at, NULL::text AS currency, NULL::text AS page_id, 0 AS revenue, change.orders, 0 AS refunds
  FROM %s CROSS JOIN LATERAL (VALUES
    (created_at, 1), (CASE WHEN status = 'canceled' THEN greatest((record ->> 'canceledAt')::timestamptz, created_at) END, -1)
  ) AS change (at, orders)
  WHERE livemode IS NOT FALSE AND change.at IS NOT NULL
    AND (status IN ('active', 'trialing') OR status = 'canceled' AND record ->> 'canceledAt' IS NOT NULL)
$$);
--> statement-breakpoint
INSERT INTO rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
SELECT seller_id, resource, level, bucket, currency, page_id, own.slot, revenue, orders, refunds
FROM (SELECT nextval('record_count_slots') AS slot) AS own, (
  SELECT * FROM desk_rollups_of_payments UNION ALL SELECT * FROM desk_rollups_of_bookings UNION ALL SELECT * FROM desk_rollups_of_subscriptions
) AS found;
