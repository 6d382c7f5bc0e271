-- What the overview and a coupon's page ask of many orders: why payments failed, and what a coupon took off. Both were read from the JSON of each order.
LOCK TABLE payments, bookings IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "discount" numeric;--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "discount" numeric;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "failure" text;
--> statement-breakpoint
-- desk_attach_record_triggers also derives these columns, and does not fill an existing compact table of texts again.
DO $do$
DECLARE
  before text := pg_get_functiondef('desk_attach_record_triggers'::regproc);
  amount text := $line$('amount', '{amount numeric}', 'r.amount'),$line$;
  added text := $line$('discount', '{"coupon json"}', '(r.coupon ->> ''discount'')::numeric'),
      ('failure', '{status text,"\"paymentError\" text"}', 'CASE WHEN r.status = ''failed'' THEN left(coalesce(r."paymentError", ''''), 200) END'),$line$;
  filling text := 'desk_attach_texts(records)';
  after text := replace(replace(before, amount, added || E'\n      ' || amount), filling,
    $line$desk_attach_texts(records, rebuilt => to_regclass(format('%I', table_name || '_texts')) IS NULL)$line$);
BEGIN
  IF position(added IN after) = 0 OR position(filling IN before) = 0 THEN
    RAISE EXCEPTION 'desk_attach_record_triggers has no list of columns to add to.';
  END IF;
  EXECUTE after;
END $do$;
--> statement-breakpoint
DROP INDEX "bookings_coupon";
--> statement-breakpoint
ALTER TABLE bookings DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE bookings SET discount = (record -> 'coupon' ->> 'discount')::numeric,
  failure = CASE WHEN status = 'failed' THEN left(coalesce(record ->> 'paymentError', ''), 200) END
WHERE status = 'failed' OR coupon_digest IS NOT NULL;
--> statement-breakpoint
ALTER TABLE bookings ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('bookings', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
CREATE INDEX "bookings_coupon" ON "bookings" USING btree ("seller_id","coupon_digest","created_at","id") INCLUDE ("currency","revenue","livemode","discount") WHERE "bookings"."coupon_digest" is not null;
--> statement-breakpoint
CREATE INDEX "bookings_failed" ON "bookings" USING btree ("seller_id","created_at","failure","livemode") WHERE "bookings"."failure" is not null;
--> statement-breakpoint
DROP INDEX "payments_coupon";
--> statement-breakpoint
ALTER TABLE payments DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE payments SET discount = (record -> 'coupon' ->> 'discount')::numeric,
  failure = CASE WHEN status = 'failed' THEN left(coalesce(record ->> 'paymentError', ''), 200) END
WHERE status = 'failed' OR coupon_digest IS NOT NULL;
--> statement-breakpoint
ALTER TABLE payments ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('payments', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
CREATE INDEX "payments_coupon" ON "payments" USING btree ("seller_id","coupon_digest","created_at","id") INCLUDE ("currency","revenue","livemode","discount") WHERE "payments"."coupon_digest" is not null;
--> statement-breakpoint
CREATE INDEX "payments_failed" ON "payments" USING btree ("seller_id","created_at","failure","livemode") WHERE "payments"."failure" is not null;
