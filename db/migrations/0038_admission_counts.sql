-- Written by drizzle-kit from db/schema, with the storage settings, functions, trigger and view of the admissions per minute.
CREATE TABLE "admission_counts" (
	"seller_id" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"page_id" text NOT NULL,
	"slot" bigint NOT NULL,
	"admissions" integer NOT NULL,
	CONSTRAINT "admission_counts_pk" PRIMARY KEY("seller_id","minute","page_id","slot")
);
--> statement-breakpoint
ALTER TABLE "admission_counts" SET (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
-- Counts admissions of one minute, like desk_add_scan_counts.
CREATE FUNCTION desk_add_admission_counts(seller text, page text, at_minute timestamptz, more integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE admission_counts SET admissions = admissions + more
  WHERE seller_id = seller AND minute = at_minute AND page_id = page AND slot = (
    SELECT slot FROM admission_counts WHERE seller_id = seller AND minute = at_minute AND page_id = page
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO admission_counts (seller_id, minute, page_id, slot, admissions) VALUES (seller, at_minute, page, nextval('record_count_slots'), more);
  END IF;
END $$;
--> statement-breakpoint
CREATE VIEW desk_expected_admission_counts AS
SELECT seller_id, date_bin('1 minute', at, '2000-01-01 00:00:00+00') AS minute, coalesce(page_id, '') AS page_id, count(*) AS admissions
FROM validation_attempts WHERE outcome = 'admitted' GROUP BY 1, 2, 3;
--> statement-breakpoint
-- Scans that devices report later than an hour are not counted per minute: nothing shows them.
CREATE OR REPLACE FUNCTION desk_count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
  PERFORM desk_add_scan_counts(seller_id, coalesce(page_id, ''), coalesce(ticket_type_id, ''), actor_id, outcome, count(*)::int * sign)
  FROM touched GROUP BY seller_id, page_id, ticket_type_id, actor_id, outcome;
  PERFORM desk_add_admission_counts(seller_id, coalesce(page_id, ''), minute, count(*)::int * sign)
  FROM (
    SELECT seller_id, page_id, date_bin('1 minute', at, '2000-01-01 00:00:00+00') AS minute
    FROM touched WHERE outcome = 'admitted' AND at > now() - interval '1 hour'
  ) AS recent GROUP BY seller_id, page_id, minute;
  RETURN NULL;
END $$;
--> statement-breakpoint
INSERT INTO admission_counts (seller_id, minute, page_id, slot, admissions)
SELECT seller_id, minute, page_id, own.slot, admissions
FROM desk_expected_admission_counts, (SELECT nextval('record_count_slots') AS slot) AS own
WHERE minute > now() - interval '1 hour';
