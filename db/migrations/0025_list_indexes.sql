-- The orders with a coupon are read per seller, newest first, and so are the rows of a compact table that is filtered and sorted by date.
DROP INDEX "bookings_coupon";--> statement-breakpoint
DROP INDEX "payments_coupon";--> statement-breakpoint
DROP INDEX "subscriptions_coupon";--> statement-breakpoint
CREATE INDEX "bookings_coupon" ON "bookings" USING btree ("seller_id","coupon_digest","created_at","id") WHERE "bookings"."coupon_digest" is not null;--> statement-breakpoint
CREATE INDEX "payments_coupon" ON "payments" USING btree ("seller_id","coupon_digest","created_at","id") WHERE "payments"."coupon_digest" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_coupon" ON "subscriptions" USING btree ("seller_id","coupon_digest","created_at","id") WHERE "subscriptions"."coupon_digest" is not null;
--> statement-breakpoint
DO $$
DECLARE
  before text := pg_get_functiondef('desk_attach_texts'::regproc);
  ids text := 'EXECUTE format(''CREATE INDEX ON %I (seller, id)'', texts);';
  after text := replace(before, ids, ids || E'\n  EXECUTE format(''CREATE INDEX ON %I (seller, created_at, id)'', texts);');
BEGIN
  IF after = before THEN
    RAISE EXCEPTION 'desk_attach_texts has no indexes to add to.';
  END IF;
  EXECUTE after;
END $$;
--> statement-breakpoint
CREATE INDEX ON payments_texts (seller, created_at, id);
--> statement-breakpoint
CREATE INDEX ON bookings_texts (seller, created_at, id);
--> statement-breakpoint
CREATE INDEX ON subscriptions_texts (seller, created_at, id);
--> statement-breakpoint
CREATE INDEX ON coupons_texts (seller, created_at, id);
--> statement-breakpoint
CREATE INDEX ON customers_texts (seller, created_at, id);
