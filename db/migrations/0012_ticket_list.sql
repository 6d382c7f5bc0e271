CREATE TABLE "ticket_changes" (
	"seller_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"changed_in" "xid8" NOT NULL,
	CONSTRAINT "ticket_changes_seller_id_ticket_id_pk" PRIMARY KEY("seller_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "ticket_code_keys" (
	"seller_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"digest" "bytea",
	"bits" "bytea",
	CONSTRAINT "ticket_code_keys_seller_id_ticket_id_pk" PRIMARY KEY("seller_id","ticket_id")
);
--> statement-breakpoint
CREATE INDEX "ticket_changes_order" ON "ticket_changes" USING btree ("seller_id","changed_in","ticket_id");
--> statement-breakpoint
-- Records the transaction that changed a ticket, for the ticket lists of check-in devices.
CREATE FUNCTION desk_mark_ticket_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ticket_changes (seller_id, ticket_id, changed_in)
  SELECT seller_id, id, pg_current_xact_id() FROM touched
  ON CONFLICT (seller_id, ticket_id) DO UPDATE SET changed_in = excluded.changed_in;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER mark_inserted AFTER INSERT ON "tickets" REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_mark_ticket_changes();
--> statement-breakpoint
CREATE TRIGGER mark_updated AFTER UPDATE ON "tickets" REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_mark_ticket_changes();
--> statement-breakpoint
CREATE TRIGGER mark_deleted AFTER DELETE ON "tickets" REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION desk_mark_ticket_changes();
