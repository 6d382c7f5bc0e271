DROP INDEX "audit_log_subject";--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "record_id" text;--> statement-breakpoint
CREATE INDEX "audit_log_record" ON "audit_log" USING btree ("seller_id","record_id") WHERE "audit_log"."record_id" is not null;