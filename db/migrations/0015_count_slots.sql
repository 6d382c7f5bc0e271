-- How many records there are, by seller, resource, page and status, as before: kept in the transaction that changes them, '' stands
-- for any, and of each record four rows are counted (all, its status, its page, both). New is who adds where. A writer takes a slot:
-- it locks the row of all records in one that nobody holds, or begins a new one. Every other row of that slot is then its own, so
-- that a single upsert adds to them all. It waits for nobody, and so locks up with nobody. The sum over all slots counts.
-- As dropping their triggers will: whoever writes is waited for once, and holds nothing that is waited for twice.
LOCK TABLE payments, bookings, subscriptions, coupons IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
DO $$
DECLARE
  name text;
  operation text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'bookings', 'subscriptions', 'coupons'] LOOP
    FOREACH operation IN ARRAY ARRAY['inserted', 'updated', 'deleted'] LOOP
      EXECUTE format('DROP TRIGGER count_%s ON %I', operation, name);
    END LOOP;
  END LOOP;
END $$;
--> statement-breakpoint
DROP FUNCTION desk_count_orders, desk_count_coupons, desk_add_counts;
--> statement-breakpoint
DROP TYPE desk_moved;
--> statement-breakpoint
CREATE SEQUENCE "public"."record_count_slots" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;
--> statement-breakpoint
ALTER TABLE record_counts RENAME TO record_counts_before;
--> statement-breakpoint
CREATE TABLE "record_counts" (
	"seller_id" text NOT NULL,
	"resource" text NOT NULL,
	"page_id" text NOT NULL,
	"status" text NOT NULL,
	"slot" bigint NOT NULL,
	"total" bigint NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "record_counts_seller_id_resource_page_id_status_slot_pk" PRIMARY KEY("seller_id","resource","page_id","status","slot")
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
-- By this a restore finds it, which sets it behind the highest slot that is in use.
ALTER SEQUENCE record_count_slots OWNED BY record_counts.slot;
--> statement-breakpoint
WITH first AS MATERIALIZED (SELECT nextval('record_count_slots') AS slot)
INSERT INTO record_counts (seller_id, resource, page_id, status, slot, total, changes)
SELECT seller_id, resource, page_id, status, slot, sum(total), sum(changes) FROM record_counts_before, first
GROUP BY seller_id, resource, page_id, status, slot;
--> statement-breakpoint
DROP TABLE record_counts_before;
--> statement-breakpoint
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
-- `changes` goes up by one with each statement that touched a record: as long as the sum stands still, nothing has changed.
CREATE FUNCTION desk_count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION desk_count_moved_orders() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION desk_count_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
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
DO $$
DECLARE
  name text;
  counting text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'bookings', 'subscriptions', 'coupons'] LOOP
    counting := CASE name WHEN 'coupons' THEN 'desk_count_coupons' ELSE 'desk_count_orders' END;
    EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION %I()', name, counting);
    EXECUTE format('CREATE TRIGGER count_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION %I()', name, counting);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['payments', 'bookings', 'subscriptions'] LOOP
    EXECUTE format('CREATE TRIGGER count_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION desk_count_moved_orders()', name);
  END LOOP;
  CREATE TRIGGER count_updated AFTER UPDATE ON coupons REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_count_coupons();
END $$;
