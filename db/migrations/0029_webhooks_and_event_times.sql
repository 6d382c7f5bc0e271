DROP INDEX "tickets_guest";--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "created_at" SET DEFAULT coalesce(nullif(current_setting('desk.now', true), '')::timestamptz, clock_timestamp());--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("seller_id","endpoint_id","created_at","event_id") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "tickets_guest" ON "tickets" USING btree ("seller_id",desk_guest_key("record") COLLATE "C","created_at","id");