DROP INDEX "stripe_events_age";--> statement-breakpoint
ALTER TABLE "stripe_events" ADD COLUMN "is_obsolete" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- The first link of a processed event is the ID of its object. Of the events in the last second, all are kept: their order is not known here.
UPDATE stripe_events SET is_obsolete = true
FROM (
  SELECT seller_id, id, links = '{}' OR created < max(created) OVER (PARTITION BY seller_id, links[1]) AS is_replaced
  FROM stripe_events WHERE state = 'done'
) AS processed
WHERE stripe_events.seller_id = processed.seller_id AND stripe_events.id = processed.id AND processed.is_replaced;--> statement-breakpoint
CREATE INDEX "stripe_events_obsolete" ON "stripe_events" USING btree ("created") WHERE is_obsolete;
