-- Returns the lowest slot that no other transaction uses, and keeps it for this one. Writers of counts therefore never wait for each other and
-- cannot deadlock. Unlike locking a row of the counts, the advisory lock writes nothing, and one upsert can add all counts of a statement.
CREATE FUNCTION desk_slot() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  -- The first number is arbitrary. Other advisory locks have a single number, which PostgreSQL keeps apart.
  slot integer := 1;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(1937009780, slot) LOOP
    slot := slot + 1;
  END LOOP;
  RETURN slot;
END $$;
--> statement-breakpoint
-- The functions that maintain `record_counts` and `rollups`, and the one that creates the latter.
DO $$
DECLARE
  counting oid;
BEGIN
  FOR counting IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%desk_count_slot(%' LOOP
    EXECUTE regexp_replace(pg_get_functiondef(counting), 'desk_count_slot\(seller(_id)?, TG_TABLE_NAME\)', 'desk_slot()', 'g');
  END LOOP;
END $$;
--> statement-breakpoint
DROP FUNCTION desk_count_slot(text, text);
--> statement-breakpoint
-- Replaces the functions that maintain `ticket_counts`. desk_expected_ticket_counts remains what they should contain.
DO $do$
DECLARE
  -- %s is a query of tickets with their sign, -1 if they are removed. An index entry has to fit into a third of a page, so a type is cut.
  tickets text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, coalesce(left(record ->> 'ticketTypeId', 255), '') AS ticket_type_id,
    CASE WHEN status = 'PAID' THEN sign ELSE 0 END AS sold,
    CASE WHEN status = 'PAID' AND check_in_status = 'CHECKEDIN' THEN sign ELSE 0 END AS inside,
    CASE WHEN status = 'PAID' AND (check_in_status = 'CHECKEDIN' OR has_left) THEN sign ELSE 0 END AS attended,
    sign * (extra_inside + CASE check_in_status WHEN 'CHECKEDIN' THEN 1 ELSE 0 END) AS people, id
    FROM (%s) AS touched WHERE status = 'PAID' OR check_in_status = 'CHECKEDIN' OR extra_inside > 0$$;
  -- %s is a query of scans with their sign: of people without a ticket of the door's event.
  strays text := $$SELECT seller_id, coalesce(page_id, '') AS page_id, '' AS ticket_type_id, 0 AS sold, 0 AS inside, 0 AS attended, sign AS people,
    NULL::text AS id FROM (%s) AS touched WHERE decision = 'admitted' AND conflict IN ('unknown_code', 'other_event') AND NOT has_left$$;
  inserted text := 'SELECT 1 AS sign, * FROM new_rows';
  deleted text := 'SELECT -1 AS sign, * FROM old_rows';
  event record;
BEGIN
  FOR event IN
    SELECT * FROM (VALUES
      ('inserted_tickets', format(tickets, inserted)),
      ('deleted_tickets', format(tickets, deleted)),
      ('updated_tickets', format(tickets, inserted || ' UNION ALL ' || deleted)),
      ('inserted_scans', format(strays, inserted)),
      ('deleted_scans', format(strays, deleted)),
      ('updated_scans', format(strays, inserted || ' UNION ALL ' || deleted))
    ) AS known (name, source)
  LOOP
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION desk_count_%1$s() RETURNS trigger LANGUAGE plpgsql AS $body$
      DECLARE
        own bigint := desk_slot();
      BEGIN
        INSERT INTO ticket_counts AS stored (seller_id, page_id, ticket_type_id, slot, sold, inside, attended, people, ticket_id)
        SELECT seller_id, page_id, ticket_type_id, own, sum(sold), sum(inside), sum(attended), sum(people), max(id)
        FROM (%2$s) AS counted GROUP BY seller_id, page_id, ticket_type_id
        HAVING (sum(sold), sum(inside), sum(attended), sum(people)) <> (0, 0, 0, 0)
        ON CONFLICT (seller_id, page_id, ticket_type_id, slot) DO UPDATE
          SET sold = stored.sold + excluded.sold, inside = stored.inside + excluded.inside, attended = stored.attended + excluded.attended,
            people = stored.people + excluded.people, ticket_id = coalesce(excluded.ticket_id, stored.ticket_id);
        RETURN NULL;
      END $body$ $function$, event.name, event.source);
  END LOOP;
END $do$;
--> statement-breakpoint
DROP FUNCTION desk_add_ticket_counts(text, text, text, integer, integer, integer, integer, text);
--> statement-breakpoint
-- Scans that devices report later than an hour are not counted per minute: nothing shows them. Groups are those of the stored keys, in which a
-- missing type is an empty one: no key may occur twice in an upsert.
CREATE OR REPLACE FUNCTION desk_count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
  own bigint := desk_slot();
BEGIN
  INSERT INTO scan_counts AS stored (seller_id, page_id, ticket_type_id, actor_id, outcome, slot, scans)
  SELECT seller_id, coalesce(page_id, ''), coalesce(ticket_type_id, ''), actor_id, outcome, own, sign * count(*)
  FROM touched GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (seller_id, page_id, ticket_type_id, actor_id, outcome, slot) DO UPDATE SET scans = stored.scans + excluded.scans;
  INSERT INTO admission_counts AS stored (seller_id, minute, page_id, slot, admissions)
  SELECT seller_id, date_bin('1 minute', at, '2000-01-01 00:00:00+00'), coalesce(page_id, ''), own, sign * count(*)
  FROM touched WHERE outcome = 'admitted' AND at > now() - interval '1 hour' GROUP BY 1, 2, 3
  ON CONFLICT (seller_id, minute, page_id, slot) DO UPDATE SET admissions = stored.admissions + excluded.admissions;
  RETURN NULL;
END $$;
--> statement-breakpoint
DROP FUNCTION desk_add_scan_counts(text, text, text, text, text, integer);
--> statement-breakpoint
DROP FUNCTION desk_add_admission_counts(text, text, timestamptz, integer);
--> statement-breakpoint
DROP SEQUENCE "public"."record_count_slots";
--> statement-breakpoint
-- Every ticket is changed at least once, when it is checked in. With room for it in its page, no index has to be written.
ALTER TABLE tickets SET (fillfactor = 85);
