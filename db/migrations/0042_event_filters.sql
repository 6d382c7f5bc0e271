-- The index is replaced after the new one is built, so that the list of events can be read in the meantime.
CREATE INDEX "events_filtered_order" ON "events" USING btree ("seller_id","transaction_id","sequence","type","created_at");--> statement-breakpoint
DROP INDEX "events_order";--> statement-breakpoint
ALTER INDEX "events_filtered_order" RENAME TO "events_order";
