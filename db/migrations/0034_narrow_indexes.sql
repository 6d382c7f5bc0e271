-- Indexes that are no list: records by their gateway's ID, and the compact tables of texts by ID.
-- The index by a digest is not partial: PostgreSQL has no statistics of an expression in a partial index, and combined it with an index of all of a seller's rows.
LOCK TABLE payments, bookings, subscriptions, coupons, customers IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
DROP INDEX "bookings_gateway";--> statement-breakpoint
DROP INDEX "coupons_gateway";--> statement-breakpoint
DROP INDEX "customers_gateway";--> statement-breakpoint
DROP INDEX "payments_gateway";--> statement-breakpoint
DROP INDEX "subscriptions_gateway";--> statement-breakpoint
CREATE INDEX "bookings_gateway" ON "bookings" USING btree (hashtextextended("gateway_id", hashtextextended("seller_id", 0)));--> statement-breakpoint
CREATE INDEX "coupons_gateway" ON "coupons" USING btree (hashtextextended("gateway_id", hashtextextended("seller_id", 0)));--> statement-breakpoint
CREATE INDEX "customers_gateway" ON "customers" USING btree (hashtextextended("gateway_id", hashtextextended("seller_id", 0)));--> statement-breakpoint
CREATE INDEX "payments_gateway" ON "payments" USING btree (hashtextextended("gateway_id", hashtextextended("seller_id", 0)));--> statement-breakpoint
CREATE INDEX "subscriptions_gateway" ON "subscriptions" USING btree (hashtextextended("gateway_id", hashtextextended("seller_id", 0)));
--> statement-breakpoint
-- Rows of the compact tables are found by date and ID, so they need no index by ID.
DO $do$
DECLARE
  definition text := pg_get_functiondef('desk_attach_texts'::regproc);
  change record;
BEGIN
  FOR change IN
    SELECT * FROM (VALUES
      ($line$AND text.id = decode(record.id, ''hex'')$line$, $line$AND text.created_at = record.created_at AND text.id = decode(record.id, ''hex'')$line$),
      ($line$'SELECT id FROM old_rows$line$, $line$'SELECT id, created_at FROM old_rows$line$),
      ($line$'SELECT id FROM (SELECT %1$s FROM old_rows$line$, $line$'SELECT id, created_at FROM (SELECT %1$s FROM old_rows$line$),
      ($line$  EXECUTE format('CREATE INDEX ON %I (seller, id)', texts);
$line$, '')
    ) AS known (before, after)
  LOOP
    IF position(change.before IN definition) = 0 THEN
      RAISE EXCEPTION 'desk_attach_texts does not contain %.', change.before;
    END IF;
    definition := replace(definition, change.before, change.after);
  END LOOP;
  EXECUTE definition;
END $do$;
--> statement-breakpoint
SELECT desk_attach_texts('payments', rebuilt => false);
--> statement-breakpoint
SELECT desk_attach_texts('bookings', rebuilt => false);
--> statement-breakpoint
SELECT desk_attach_texts('subscriptions', rebuilt => false);
--> statement-breakpoint
SELECT desk_attach_texts('coupons', rebuilt => false);
--> statement-breakpoint
SELECT desk_attach_texts('customers', rebuilt => false);
--> statement-breakpoint
DROP INDEX payments_texts_seller_id_idx;
--> statement-breakpoint
DROP INDEX bookings_texts_seller_id_idx;
--> statement-breakpoint
DROP INDEX subscriptions_texts_seller_id_idx;
--> statement-breakpoint
DROP INDEX coupons_texts_seller_id_idx;
--> statement-breakpoint
DROP INDEX customers_texts_seller_id_idx;
--> statement-breakpoint
DO $do$
DECLARE
  name text;
  has_rows boolean;
BEGIN
  FOREACH name IN ARRAY '{payments,bookings,subscriptions,coupons,customers}'::text[] LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO has_rows;
    -- Plans for a table that was analyzed while it was empty scan it.
    IF has_rows THEN
      EXECUTE format('ANALYZE %I', name);
    END IF;
  END LOOP;
END $do$;
