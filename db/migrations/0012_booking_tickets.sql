DROP INDEX "tickets_charge";--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "revoked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "made" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "tickets_charge" ON "tickets" USING btree ("seller_id",md5("record" ->> 'chargeId'));--> statement-breakpoint
-- A ticket is canceled by its own record, or with its booking.
CREATE OR REPLACE FUNCTION desk_derive_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_ticket_members := json_populate_record(NULL::desk_ticket_members, NEW.record);
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  NEW.status := CASE WHEN NEW.revoked_at IS NULL THEN r.status ELSE 'CANCELED' END;
  NEW.page_id := r."pageId";
  NEW.order_id := r."orderId";
  NEW.search := desk_fold(coalesce(r."customerName", '') || chr(1) || coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '') || chr(1) || coalesce(r."ticketShortId", ''));
  RETURN NEW;
END $$;
--> statement-breakpoint
DROP TRIGGER derive ON tickets;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, order_id, search, revoked_at
  ON tickets FOR EACH ROW EXECUTE FUNCTION desk_derive_ticket();
