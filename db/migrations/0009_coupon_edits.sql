ALTER TABLE "coupons" ADD COLUMN "edited" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "key_id" text;--> statement-breakpoint
CREATE INDEX "coupons_code" ON "coupons" USING btree ("seller_id",md5(desk_fold("record" ->> 'code')));