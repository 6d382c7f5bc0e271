-- The digest of the customer's ID becomes a derived column, because an expression in an index parses each record again when it is written.
DROP INDEX "payments_customer";
--> statement-breakpoint
DROP INDEX "bookings_customer";
--> statement-breakpoint
DROP INDEX "subscriptions_customer";
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "customer_digest" bigint;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "customer_digest" bigint;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "customer_digest" bigint;
--> statement-breakpoint
-- desk_attach_record_triggers also derives this column.
DO $$
DECLARE
  before text := pg_get_functiondef('desk_attach_record_triggers'::regproc);
  amount text := '(''amount'', ''{amount numeric}'', ''r.amount''),';
  digest text := '(''customer_digest'', ''{"\"customerId\" text"}'', ''hashtextextended(lower(r."customerId"), 0)''),';
  after text := replace(before, amount, digest || E'\n      ' || amount);
BEGIN
  IF after = before THEN
    RAISE EXCEPTION 'desk_attach_record_triggers has no list of columns to add to.';
  END IF;
  EXECUTE after;
END $$;
--> statement-breakpoint
ALTER TABLE payments DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE payments SET customer_digest = hashtextextended(lower(record ->> 'customerId'), 0) WHERE record ->> 'customerId' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE payments ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('payments', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
CREATE INDEX "payments_customer" ON "payments" USING btree ("customer_digest") WHERE "payments"."customer_digest" is not null;
--> statement-breakpoint
ALTER TABLE bookings DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE bookings SET customer_digest = hashtextextended(lower(record ->> 'customerId'), 0) WHERE record ->> 'customerId' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE bookings ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('bookings', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
CREATE INDEX "bookings_customer" ON "bookings" USING btree ("customer_digest") WHERE "bookings"."customer_digest" is not null;
--> statement-breakpoint
ALTER TABLE subscriptions DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE subscriptions SET customer_digest = hashtextextended(lower(record ->> 'customerId'), 0) WHERE record ->> 'customerId' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE subscriptions ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('subscriptions', searched => '{customerEmail,orderId,billing.name}', gateway_id => 'gatewaySubscriptionId');
--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree ("customer_digest") WHERE "subscriptions"."customer_digest" is not null;
