-- Written by drizzle-kit from db/schema, with the functions, triggers and views of the counts at check-in.
CREATE TABLE "scan_counts" (
	"seller_id" text NOT NULL,
	"page_id" text NOT NULL,
	"ticket_type_id" text NOT NULL,
	"actor_id" text NOT NULL,
	"outcome" text NOT NULL,
	"slot" bigint NOT NULL,
	"scans" integer NOT NULL,
	CONSTRAINT "scan_counts_pk" PRIMARY KEY("seller_id","page_id","ticket_type_id","actor_id","outcome","slot")
);
--> statement-breakpoint
ALTER TABLE "offline_scans" ADD COLUMN "direction" text DEFAULT 'in' NOT NULL;--> statement-breakpoint
ALTER TABLE "offline_scans" ADD COLUMN "page_id" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "offline_admission" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "offline_names" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "ticket_counts" ADD COLUMN "attended" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ticket_counts" ADD COLUMN "people" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "has_left" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "extra_inside" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "validation_attempts" ADD COLUMN "page_id" text;--> statement-breakpoint
ALTER TABLE "validation_attempts" ADD COLUMN "ticket_type_id" text;--> statement-breakpoint
ALTER TABLE "validation_attempts" ADD COLUMN "is_late" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "validation_attempts_refused" ON "validation_attempts" USING btree ("seller_id","at","id") WHERE outcome not in ('admitted', 'checked_out');
--> statement-breakpoint
ALTER TABLE "scan_counts" SET (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
DROP VIEW desk_expected_ticket_counts;
--> statement-breakpoint
-- Adds to the counts of one page and type, in a row that no other transaction has locked, or in a new one.
CREATE FUNCTION desk_add_ticket_counts(
  seller text, page text, type text, more_sold integer, more_inside integer, more_attended integer, more_people integer, ticket text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ticket_counts SET sold = sold + more_sold, inside = inside + more_inside, attended = attended + more_attended,
    people = people + more_people, ticket_id = coalesce(ticket, ticket_id)
  WHERE seller_id = seller AND page_id = page AND ticket_type_id = type AND slot = (
    SELECT slot FROM ticket_counts WHERE seller_id = seller AND page_id = page AND ticket_type_id = type
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO ticket_counts (seller_id, page_id, ticket_type_id, slot, sold, inside, attended, people, ticket_id)
    VALUES (seller, page, type, nextval('record_count_slots'), more_sold, more_inside, more_attended, more_people, ticket);
  END IF;
END $$;
--> statement-breakpoint
-- Replaces the trigger functions of `tickets`, and the view desk_expected_ticket_counts, which counts them all. People whose scan belongs to no
-- ticket of the door's event are counted from `offline_scans`.
DO $do$
DECLARE
  -- %1$s is the sign, -1 for tickets that are removed, and %2$s the tickets. An index entry has to fit into a third of a page, so a type is cut.
  counted text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(left(record ->> 'ticketTypeId', 255), '') AS ticket_type_id,
    CASE status WHEN 'PAID' THEN %1$s ELSE 0 END AS sold,
    CASE WHEN status = 'PAID' AND check_in_status = 'CHECKEDIN' THEN %1$s ELSE 0 END AS inside,
    CASE WHEN status = 'PAID' AND (check_in_status = 'CHECKEDIN' OR has_left) THEN %1$s ELSE 0 END AS attended,
    %1$s * (extra_inside + CASE check_in_status WHEN 'CHECKEDIN' THEN 1 ELSE 0 END) AS people, id
    FROM %2$s WHERE status = 'PAID' OR check_in_status = 'CHECKEDIN' OR extra_inside > 0$$;
  -- %1$s is the sign, and %2$s the scans.
  strays text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, '' AS ticket_type_id, 0 AS sold, 0 AS inside, 0 AS attended, %1$s AS people,
    NULL::text AS id FROM %2$s WHERE decision = 'admitted' AND conflict IN ('unknown_code', 'other_event')$$;
  -- Most updates are check-ins and notes. Only tickets whose counts can change are parsed.
  changed text := $$(SELECT %s.* FROM new_rows JOIN old_rows USING (seller_id, id)
    WHERE (new_rows.status, new_rows.page_id, new_rows.check_in_status, new_rows.has_left, new_rows.extra_inside, new_rows.record::text)
      IS DISTINCT FROM (old_rows.status, old_rows.page_id, old_rows.check_in_status, old_rows.has_left, old_rows.extra_inside, old_rows.record::text))
    AS changed$$;
  event record;
BEGIN
  EXECUTE format('CREATE VIEW desk_expected_ticket_counts AS SELECT seller_id, page_id, ticket_type_id, sum(sold) AS sold, sum(inside) AS inside,
    sum(attended) AS attended, sum(people) AS people, max(id) AS ticket_id FROM (%s UNION ALL %s) AS counted GROUP BY 1, 2, 3',
    format(counted, '1', 'tickets'), format(strays, '1', 'offline_scans'));
  FOR event IN
    SELECT * FROM (VALUES
      ('inserted_tickets', format(counted, '1', 'new_rows')),
      ('deleted_tickets', format(counted, '-1', 'old_rows')),
      ('updated_tickets', format(counted, '1', format(changed, 'new_rows')) || ' UNION ALL ' || format(counted, '-1', format(changed, 'old_rows'))),
      ('inserted_scans', format(strays, '1', 'new_rows')),
      ('deleted_scans', format(strays, '-1', 'old_rows'))
    ) AS known (name, source)
  LOOP
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION desk_count_%1$s() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        PERFORM desk_add_ticket_counts(seller_id, page_id, ticket_type_id, sum(sold)::int, sum(inside)::int, sum(attended)::int, sum(people)::int, max(id))
        FROM (%2$s) AS counted GROUP BY seller_id, page_id, ticket_type_id
        HAVING (sum(sold), sum(inside), sum(attended), sum(people)) <> (0, 0, 0, 0);
        RETURN NULL;
      END $body$ $function$, event.name, event.source);
  END LOOP;
END $do$;
--> statement-breakpoint
CREATE TRIGGER count_scans_inserted AFTER INSERT ON offline_scans REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION desk_count_inserted_scans();
--> statement-breakpoint
CREATE TRIGGER count_scans_deleted AFTER DELETE ON offline_scans REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION desk_count_deleted_scans();
--> statement-breakpoint
DROP FUNCTION desk_add_ticket_counts(text, text, text, integer, integer, text);
--> statement-breakpoint
UPDATE ticket_counts SET attended = inside, people = inside;
--> statement-breakpoint
INSERT INTO ticket_counts (seller_id, page_id, ticket_type_id, slot, sold, inside, attended, people, ticket_id)
SELECT seller_id, coalesce(page_id, ''), coalesce(left(record ->> 'ticketTypeId', 255), ''), own.slot, 0, 0, 0, count(*), max(id)
FROM tickets, (SELECT nextval('record_count_slots') AS slot) AS own
WHERE status <> 'PAID' AND check_in_status = 'CHECKEDIN' GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
INSERT INTO ticket_counts (seller_id, page_id, ticket_type_id, slot, sold, inside, attended, people)
SELECT seller_id, '', '', own.slot, 0, 0, 0, count(*)
FROM offline_scans, (SELECT nextval('record_count_slots') AS slot) AS own
WHERE decision = 'admitted' AND conflict IN ('unknown_code', 'other_event') GROUP BY 1, 4;
--> statement-breakpoint
-- Counts validation attempts, like desk_add_ticket_counts.
CREATE FUNCTION desk_add_scan_counts(seller text, page text, type text, actor text, result text, more integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE scan_counts SET scans = scans + more
  WHERE seller_id = seller AND page_id = page AND ticket_type_id = type AND actor_id = actor AND outcome = result AND slot = (
    SELECT slot FROM scan_counts
    WHERE seller_id = seller AND page_id = page AND ticket_type_id = type AND actor_id = actor AND outcome = result
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO scan_counts (seller_id, page_id, ticket_type_id, actor_id, outcome, slot, scans)
    VALUES (seller, page, type, actor, result, nextval('record_count_slots'), more);
  END IF;
END $$;
--> statement-breakpoint
CREATE VIEW desk_expected_scan_counts AS
SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(ticket_type_id, '') AS ticket_type_id, actor_id, outcome, count(*) AS scans
FROM validation_attempts GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
CREATE FUNCTION desk_count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM desk_add_scan_counts(seller_id, coalesce(page_id, ''), coalesce(ticket_type_id, ''), actor_id, outcome,
    count(*)::int * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END)
  FROM touched GROUP BY seller_id, page_id, ticket_type_id, actor_id, outcome;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_inserted AFTER INSERT ON validation_attempts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_count_attempts();
--> statement-breakpoint
CREATE TRIGGER count_deleted AFTER DELETE ON validation_attempts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_count_attempts();
--> statement-breakpoint
INSERT INTO scan_counts (seller_id, page_id, ticket_type_id, actor_id, outcome, slot, scans)
SELECT seller_id, page_id, ticket_type_id, actor_id, outcome, own.slot, scans
FROM desk_expected_scan_counts, (SELECT nextval('record_count_slots') AS slot) AS own;
