-- Written by drizzle-kit from db/schema, with the storage settings, functions and triggers of the ticket counts.
CREATE TABLE "ticket_counts" (
	"seller_id" text NOT NULL,
	"page_id" text NOT NULL,
	"ticket_type_id" text NOT NULL,
	"slot" bigint NOT NULL,
	"sold" integer NOT NULL,
	"inside" integer NOT NULL,
	"ticket_id" text,
	CONSTRAINT "ticket_counts_pk" PRIMARY KEY("seller_id","page_id","ticket_type_id","slot")
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
-- Adds to the counts of one page and type, in a row that no other transaction has locked, or in a new one.
CREATE FUNCTION desk_add_ticket_counts(seller text, page text, type text, more_sold integer, more_inside integer, ticket text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ticket_counts SET sold = sold + more_sold, inside = inside + more_inside, ticket_id = ticket
  WHERE seller_id = seller AND page_id = page AND ticket_type_id = type AND slot = (
    SELECT slot FROM ticket_counts WHERE seller_id = seller AND page_id = page AND ticket_type_id = type
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO ticket_counts (seller_id, page_id, ticket_type_id, slot, sold, inside, ticket_id)
    VALUES (seller, page, type, nextval('record_count_slots'), more_sold, more_inside, ticket);
  END IF;
END $$;
--> statement-breakpoint
-- Creates the triggers of `tickets`, which differ in the rows that they count, and the view desk_expected_ticket_counts, which counts them all.
DO $do$
DECLARE
  -- %1$s is the sign, -1 for tickets that are removed, and %2$s the tickets. An index entry has to fit into a third of a page, so a type is cut.
  counted text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(left(record ->> 'ticketTypeId', 255), '') AS ticket_type_id,
    %1$s AS sold, CASE check_in_status WHEN 'CHECKEDIN' THEN %1$s ELSE 0 END AS inside, id FROM %2$s WHERE status = 'PAID'$$;
  -- Most updates are check-ins and notes. Only tickets whose counts can change are parsed.
  changed text := $$(SELECT %s.* FROM new_rows JOIN old_rows USING (seller_id, id)
    WHERE (new_rows.status, new_rows.page_id, new_rows.check_in_status, new_rows.record::text)
      IS DISTINCT FROM (old_rows.status, old_rows.page_id, old_rows.check_in_status, old_rows.record::text)) AS changed$$;
  event record;
BEGIN
  EXECUTE format('CREATE VIEW desk_expected_ticket_counts AS SELECT seller_id, page_id, ticket_type_id, sum(sold) AS sold, sum(inside) AS inside, max(id) AS ticket_id
    FROM (%s) AS counted GROUP BY 1, 2, 3', format(counted, '1', 'tickets'));
  FOR event IN
    SELECT * FROM (VALUES
      ('INSERT', 'inserted', 'NEW TABLE AS new_rows', format(counted, '1', 'new_rows')),
      ('DELETE', 'deleted', 'OLD TABLE AS old_rows', format(counted, '-1', 'old_rows')),
      ('UPDATE', 'updated', 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
        format(counted, '1', format(changed, 'new_rows')) || ' UNION ALL ' || format(counted, '-1', format(changed, 'old_rows')))
    ) AS known (operation, name, transition, source)
  LOOP
    EXECUTE format($function$
      CREATE FUNCTION desk_count_%1$s_tickets() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        PERFORM desk_add_ticket_counts(seller_id, page_id, ticket_type_id, sum(sold)::int, sum(inside)::int, max(id))
        FROM (%2$s) AS counted GROUP BY seller_id, page_id, ticket_type_id HAVING (sum(sold), sum(inside)) <> (0, 0);
        RETURN NULL;
      END $body$ $function$, event.name, event.source);
    EXECUTE format('CREATE TRIGGER %I AFTER %s ON tickets REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      'count_tickets_' || event.name, event.operation, event.transition, format('desk_count_%s_tickets', event.name));
  END LOOP;
END $do$;
--> statement-breakpoint
-- Deletes the counts of truncated tickets. TRUNCATE has waited for every writer, so none of them is locked.
CREATE FUNCTION desk_clear_ticket_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ticket_counts;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_tickets_truncated AFTER TRUNCATE ON tickets FOR EACH STATEMENT EXECUTE FUNCTION desk_clear_ticket_counts();
--> statement-breakpoint
INSERT INTO ticket_counts (seller_id, page_id, ticket_type_id, slot, sold, inside, ticket_id)
SELECT seller_id, page_id, ticket_type_id, own.slot, sold, inside, ticket_id
FROM desk_expected_ticket_counts, (SELECT nextval('record_count_slots') AS slot) AS own;
