-- Written by drizzle-kit from db/schema, with the functions, triggers and views of guests without a ticket of the door's event.
ALTER TABLE "offline_scans" ADD COLUMN "code_digest" "bytea";--> statement-breakpoint
ALTER TABLE "offline_scans" ADD COLUMN "has_left" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "offline_scans_code" ON "offline_scans" USING btree ("seller_id","code_digest") WHERE code_digest is not null;
--> statement-breakpoint
-- Replaces the functions that count people without a ticket of the door's event, who can leave now, and the view of the expected counts.
DO $do$
DECLARE
  -- %1$s is the sign, and %2$s the scans.
  strays text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, %1$s AS people FROM %2$s
    WHERE decision = 'admitted' AND conflict IN ('unknown_code', 'other_event') AND NOT has_left$$;
  event record;
BEGIN
  FOR event IN
    SELECT * FROM (VALUES
      ('inserted', format(strays, '1', 'new_rows')),
      ('deleted', format(strays, '-1', 'old_rows')),
      ('updated', format(strays, '1', 'new_rows') || ' UNION ALL ' || format(strays, '-1', 'old_rows'))
    ) AS known (name, source)
  LOOP
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION desk_count_%1$s_scans() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        PERFORM desk_add_ticket_counts(seller_id, page_id, '', 0, 0, 0, sum(people)::int, NULL)
        FROM (%2$s) AS counted GROUP BY seller_id, page_id HAVING sum(people) <> 0;
        RETURN NULL;
      END $body$ $function$, event.name, event.source);
  END LOOP;
END $do$;
--> statement-breakpoint
CREATE TRIGGER count_scans_updated AFTER UPDATE ON offline_scans REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION desk_count_updated_scans();
--> statement-breakpoint
CREATE OR REPLACE VIEW desk_expected_ticket_counts AS
SELECT seller_id, page_id, ticket_type_id, sum(sold) AS sold, sum(inside) AS inside, sum(attended) AS attended, sum(people) AS people,
  max(id) AS ticket_id
FROM (
  SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(left(record ->> 'ticketTypeId', 255), '') AS ticket_type_id,
    CASE status WHEN 'PAID' THEN 1 ELSE 0 END AS sold,
    CASE WHEN status = 'PAID' AND check_in_status = 'CHECKEDIN' THEN 1 ELSE 0 END AS inside,
    CASE WHEN status = 'PAID' AND (check_in_status = 'CHECKEDIN' OR has_left) THEN 1 ELSE 0 END AS attended,
    extra_inside + CASE check_in_status WHEN 'CHECKEDIN' THEN 1 ELSE 0 END AS people, id
  FROM tickets WHERE status = 'PAID' OR check_in_status = 'CHECKEDIN' OR extra_inside > 0
  UNION ALL
  SELECT seller_id, coalesce(page_id, ''), '', 0, 0, 0, 1, NULL::text
  FROM offline_scans WHERE decision = 'admitted' AND conflict IN ('unknown_code', 'other_event') AND NOT has_left
) AS counted GROUP BY 1, 2, 3;
