-- What the guest search at check-in compares is stored, instead of folded for each ticket of each search; and how the check-in page identified a ticket.
ALTER TABLE "check_ins" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "offline_scans" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "livemode" boolean, ADD COLUMN "plain" text;
--> statement-breakpoint
-- desk_attach_record_triggers also derives the folded text, which is the searched one if that is ASCII. It knows `livemode`.
DO $do$
DECLARE
  before text := pg_get_functiondef('desk_attach_record_triggers'::regproc);
  amount text := $line$('amount', '{amount numeric}', 'r.amount'),$line$;
  added text := $line$('plain', '{}', 'CASE WHEN octet_length(text_searched) = length(text_searched) THEN text_searched ELSE desk_plain(text_searched) END'),$line$;
  after text := replace(before, amount, added || E'\n      ' || amount);
BEGIN
  IF after = before THEN
    RAISE EXCEPTION 'desk_attach_record_triggers has no list of columns to add to.';
  END IF;
  EXECUTE after;
END $do$;
--> statement-breakpoint
DROP INDEX "tickets_plain";
--> statement-breakpoint
-- Rewrites the table once, without its triggers. An update would write each row, and each entry of its indexes, a second time.
ALTER TABLE tickets
  ALTER COLUMN plain TYPE text USING desk_plain(search),
  ALTER COLUMN plain SET NOT NULL,
  ALTER COLUMN livemode TYPE boolean USING (record ->> 'livemode')::boolean;
--> statement-breakpoint
SELECT desk_attach_record_triggers('tickets', searched => '{customerName,customerEmail,orderId,ticketShortId}', counted => false);
--> statement-breakpoint
CREATE INDEX "tickets_plain" ON "tickets" USING gin ("seller_id",("page_id" || ''),"plain" gin_trgm_ops);
