ALTER TABLE "ticket_changes" ADD COLUMN "booking_id" text;--> statement-breakpoint
CREATE INDEX "ticket_changes_code" ON "ticket_changes" USING btree ("seller_id","code_digest") WHERE booking_id is not null;--> statement-breakpoint
CREATE INDEX "ticket_changes_booking" ON "ticket_changes" USING btree ("seller_id","booking_id") WHERE booking_id is not null;