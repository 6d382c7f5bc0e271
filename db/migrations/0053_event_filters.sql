-- With the type and the time, a filtered list skips the other events without reading them.
DROP INDEX "events_order";--> statement-breakpoint
CREATE INDEX "events_order" ON "events" USING btree ("seller_id","transaction_id","sequence","type","created_at");