-- For the booking of a ticket that has its order ID, but no `chargeId`.
CREATE INDEX "bookings_order_id" ON "bookings" USING btree (hashtextextended("record" ->> 'orderId', hashtextextended("seller_id", 0)));
--> statement-breakpoint
DO $do$
BEGIN
  -- The planner needs statistics for the expression. Plans for a table that was analyzed while it was empty scan it.
  IF EXISTS (SELECT FROM bookings) THEN
    ANALYZE bookings;
  END IF;
END $do$;
