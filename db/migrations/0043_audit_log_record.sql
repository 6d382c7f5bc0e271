DROP INDEX "audit_log_subject";--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "record_id" text;--> statement-breakpoint
-- The subject of a customer's changes is the customer's ID.
UPDATE "audit_log" SET "record_id" = "subject" WHERE starts_with("action", 'customer.');--> statement-breakpoint
CREATE INDEX "audit_log_record" ON "audit_log" USING btree ("seller_id","record_id") WHERE "audit_log"."record_id" is not null;