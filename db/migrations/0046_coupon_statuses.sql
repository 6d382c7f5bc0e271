-- The indexes of coupons also include the status, because an order that was free because of its coupon is paid, but has no revenue.
LOCK TABLE payments, bookings IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
DROP INDEX "payments_coupon";
--> statement-breakpoint
CREATE INDEX "payments_coupon" ON "payments" USING btree ("seller_id","coupon_digest","created_at","id") INCLUDE ("currency","revenue","livemode","discount","status") WHERE "payments"."coupon_digest" is not null;
--> statement-breakpoint
DROP INDEX "bookings_coupon";
--> statement-breakpoint
CREATE INDEX "bookings_coupon" ON "bookings" USING btree ("seller_id","coupon_digest","created_at","id") INCLUDE ("currency","revenue","livemode","discount","status") WHERE "bookings"."coupon_digest" is not null;
