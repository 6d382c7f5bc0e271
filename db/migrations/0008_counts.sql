-- How many records there are, by seller, resource, page and status, kept in the transaction that changes them, so that a total is
-- read and not counted. '' stands for any: of each record, four rows are counted (all, its status, its page, both).
-- One key may have several rows, and their sum counts. A writer takes a row that nobody holds and makes another where all
-- are held: it waits for nobody, and so locks up with nobody. There are as many rows as there ever were writers at once.
CREATE TABLE "record_counts" (
	"seller_id" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY,
	"resource" text NOT NULL,
	"page_id" text NOT NULL,
	"status" text NOT NULL,
	"total" bigint NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "record_counts_seller_id_id_pk" PRIMARY KEY("seller_id","id")
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
CREATE INDEX "record_counts_key" ON "record_counts" USING btree ("seller_id","resource","page_id","status");
--> statement-breakpoint
CREATE TYPE desk_moved AS (seller_id text, page_id text, status text, records bigint);
--> statement-breakpoint
-- `changes` goes up by one with each statement that touched a record: as long as the sum stands still, nothing has changed.
-- A row that was locked is added to by its id, in its newest version, whatever this statement's snapshot shows of it.
CREATE FUNCTION desk_add_counts(resource_name text, moved desk_moved[]) RETURNS void LANGUAGE sql AS $$
  WITH delta AS MATERIALIZED (
    SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(status, '') AS status, sum(records) AS records
    FROM unnest(moved)
    GROUP BY GROUPING SETS ((seller_id), (seller_id, status), (seller_id, page_id), (seller_id, page_id, status))
    HAVING (grouping(page_id) = 1 OR page_id IS NOT NULL) AND (grouping(status) = 1 OR status IS NOT NULL)
      AND (sum(records) <> 0 OR grouping(page_id, status) = 3)
  ), held AS MATERIALIZED (
    SELECT delta.*, (
      SELECT free.id FROM record_counts AS free
      WHERE free.seller_id = delta.seller_id AND free.resource = resource_name AND free.page_id = delta.page_id AND free.status = delta.status
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS id
    FROM delta
  ), added AS (
    UPDATE record_counts AS counted SET total = counted.total + held.records, changes = counted.changes + 1
    FROM held WHERE counted.seller_id = held.seller_id AND counted.id = held.id
  )
  INSERT INTO record_counts (seller_id, resource, page_id, status, total, changes)
  SELECT seller_id, resource_name, page_id, status, records, 1 FROM held WHERE id IS NULL
$$;
--> statement-breakpoint
CREATE FUNCTION desk_count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved desk_moved[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, page_id, status, count(*))::desk_moved AS one FROM new_rows GROUP BY seller_id, page_id, status) AS all_of_them;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, page_id, status, -count(*))::desk_moved AS one FROM old_rows GROUP BY seller_id, page_id, status) AS all_of_them;
  ELSE
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, page_id, status, sum(sign))::desk_moved AS one FROM (
        SELECT seller_id, page_id, status, 1 AS sign FROM new_rows UNION ALL SELECT seller_id, page_id, status, -1 FROM old_rows) AS both_sides
      GROUP BY seller_id, page_id, status) AS all_of_them;
  END IF;
  IF moved IS NOT NULL THEN
    PERFORM desk_add_counts(TG_TABLE_NAME, moved);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION desk_count_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved desk_moved[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, NULL, NULL, count(*))::desk_moved AS one FROM new_rows GROUP BY seller_id) AS all_of_them;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, NULL, NULL, -count(*))::desk_moved AS one FROM old_rows GROUP BY seller_id) AS all_of_them;
  ELSE
    SELECT array_agg(one) INTO moved FROM (
      SELECT ROW(seller_id, NULL, NULL, sum(sign))::desk_moved AS one FROM (
        SELECT seller_id, 1 AS sign FROM new_rows UNION ALL SELECT seller_id, -1 FROM old_rows) AS both_sides
      GROUP BY seller_id) AS all_of_them;
  END IF;
  IF moved IS NOT NULL THEN
    PERFORM desk_add_counts(TG_TABLE_NAME, moved);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Whoever truncates has waited for every writer of the table, so that no row of its counts is held.
CREATE FUNCTION desk_count_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_counts SET total = 0, changes = changes + 1 WHERE resource = TG_TABLE_NAME;
  RETURN NULL;
END $$;
--> statement-breakpoint
DO $$
DECLARE
  name text;
  key text;
  counting text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'bookings', 'subscriptions', 'coupons'] LOOP
    counting := CASE name WHEN 'coupons' THEN 'desk_count_coupons' ELSE 'desk_count_orders' END;
    key := CASE name WHEN 'coupons' THEN 'seller_id, NULL::text, NULL::text' ELSE 'seller_id, page_id, status' END;
    -- Until the end of the migration nobody writes, so that what is counted below is all there is.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', name);
    EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()', name, counting);
    EXECUTE format('CREATE TRIGGER count_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()', name, counting);
    EXECUTE format('CREATE TRIGGER count_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()', name, counting);
    EXECUTE format('CREATE TRIGGER count_truncated AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION desk_count_nothing()', name);
    EXECUTE format('SELECT desk_add_counts(%L, array_agg(one)) FROM (SELECT ROW(%s, count(*))::desk_moved AS one FROM %I GROUP BY %s) AS all_of_them',
      name, key, name, key);
  END LOOP;
END $$;
