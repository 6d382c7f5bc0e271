-- Notes on records, names of products, and the digest of an order's coupon, a derived column like the customer's (0017_customer_digest.sql).
CREATE TABLE "record_notes" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"resource" text NOT NULL,
	"record_id" text NOT NULL,
	"user_id" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "record_notes_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "products" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "products_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "coupon_digest" bigint;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "coupon_digest" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "coupon_digest" bigint;--> statement-breakpoint
ALTER TABLE "record_notes" ADD CONSTRAINT "record_notes_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_notes_record" ON "record_notes" USING btree ("seller_id","record_id","created_at");--> statement-breakpoint
CREATE INDEX "bookings_coupon" ON "bookings" USING btree ("coupon_digest") WHERE "bookings"."coupon_digest" is not null;--> statement-breakpoint
CREATE INDEX "payments_coupon" ON "payments" USING btree ("coupon_digest") WHERE "payments"."coupon_digest" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_coupon" ON "subscriptions" USING btree ("coupon_digest") WHERE "subscriptions"."coupon_digest" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("seller_id",md5("subject"));
--> statement-breakpoint
-- desk_attach_record_triggers also derives this column.
DO $$
DECLARE
  before text := pg_get_functiondef('desk_attach_record_triggers'::regproc);
  amount text := $line$('amount', '{amount numeric}', 'r.amount'),$line$;
  digest text := $line$('coupon_digest', '{"coupon json","\"couponId\" text"}', 'hashtextextended(coalesce(lower(r."couponId"), lower(r.coupon ->> ''id''), ''code '' || desk_fold(r.coupon ->> ''code'')), 0)'),$line$;
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
UPDATE payments SET coupon_digest = hashtextextended(coalesce(lower(record ->> 'couponId'), lower(record -> 'coupon' ->> 'id'), 'code ' || desk_fold(record -> 'coupon' ->> 'code')), 0)
WHERE record ->> 'couponId' IS NOT NULL OR record -> 'coupon' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE payments ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('payments', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
ALTER TABLE bookings DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE bookings SET coupon_digest = hashtextextended(coalesce(lower(record ->> 'couponId'), lower(record -> 'coupon' ->> 'id'), 'code ' || desk_fold(record -> 'coupon' ->> 'code')), 0)
WHERE record ->> 'couponId' IS NOT NULL OR record -> 'coupon' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE bookings ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('bookings', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
ALTER TABLE subscriptions DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE subscriptions SET coupon_digest = hashtextextended(coalesce(lower(record ->> 'couponId'), lower(record -> 'coupon' ->> 'id'), 'code ' || desk_fold(record -> 'coupon' ->> 'code')), 0)
WHERE record ->> 'couponId' IS NOT NULL OR record -> 'coupon' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE subscriptions ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('subscriptions', searched => '{customerEmail,orderId,billing.name}', gateway_id => 'gatewaySubscriptionId');
