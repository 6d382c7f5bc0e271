DROP INDEX "tickets_order";--> statement-breakpoint
CREATE INDEX "tickets_order" ON "tickets" USING btree ("seller_id",md5("order_id"));