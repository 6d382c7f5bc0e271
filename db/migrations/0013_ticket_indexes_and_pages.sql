ALTER TABLE "pages" ADD COLUMN "starts_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "capacity" integer;--> statement-breakpoint
CREATE INDEX "tickets_list" ON "tickets" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_status" ON "tickets" USING btree ("seller_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_type" ON "tickets" USING btree ("seller_id",md5("record" ->> 'ticketTypeId'),"created_at","id");