-- The gateway's id of a record becomes a derived column like the others: an index on the JSON itself had it read once more for each
-- row, a tenth of an import. Of an id that is longer than 255 bytes there is none; no gateway's is.
DROP INDEX "payments_gateway";
--> statement-breakpoint
DROP INDEX "bookings_gateway";
--> statement-breakpoint
DROP INDEX "subscriptions_gateway";
--> statement-breakpoint
DROP INDEX "coupons_gateway";
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "gateway_id" text GENERATED ALWAYS AS (CASE WHEN octet_length(record ->> 'gatewayPaymentIntentId') <= 255 THEN record ->> 'gatewayPaymentIntentId' END) STORED;
--> statement-breakpoint
ALTER TABLE "payments" ALTER COLUMN "gateway_id" DROP EXPRESSION;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "gateway_id" text GENERATED ALWAYS AS (CASE WHEN octet_length(record ->> 'gatewayPaymentIntentId') <= 255 THEN record ->> 'gatewayPaymentIntentId' END) STORED;
--> statement-breakpoint
ALTER TABLE "bookings" ALTER COLUMN "gateway_id" DROP EXPRESSION;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "gateway_id" text GENERATED ALWAYS AS (CASE WHEN octet_length(record ->> 'gatewaySubscriptionId') <= 255 THEN record ->> 'gatewaySubscriptionId' END) STORED;
--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "gateway_id" DROP EXPRESSION;
--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "gateway_id" text GENERATED ALWAYS AS (CASE WHEN octet_length(record ->> 'gatewayCouponId') <= 255 THEN record ->> 'gatewayCouponId' END) STORED;
--> statement-breakpoint
ALTER TABLE "coupons" ALTER COLUMN "gateway_id" DROP EXPRESSION;
--> statement-breakpoint
ALTER TYPE desk_order_members ADD ATTRIBUTE "gatewayPaymentIntentId" text;
--> statement-breakpoint
ALTER TYPE desk_subscription_members ADD ATTRIBUTE "gatewaySubscriptionId" text;
--> statement-breakpoint
ALTER TYPE desk_coupon_members ADD ATTRIBUTE "gatewayCouponId" text;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION desk_derive_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_order_members := json_populate_record(NULL::desk_order_members, NEW.record);
  text_searched text;
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  NEW.status := r.status;
  NEW.page_id := r."pageId";
  NEW.amount := r.amount;
  NEW.currency := r.currency;
  NEW.livemode := r.livemode;
  NEW.revenue := CASE r.status WHEN 'paid' THEN r.amount WHEN 'partial_refund' THEN r.amount WHEN 'partially_paid' THEN coalesce(r."amountPaid", 0) ELSE 0 END;
  text_searched := desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", ''));
  NEW.search := CASE WHEN octet_length(text_searched) <= 1000 THEN text_searched END;
  NEW.search_long := CASE WHEN octet_length(text_searched) > 1000 THEN text_searched END;
  NEW.gateway_id := CASE WHEN octet_length(r."gatewayPaymentIntentId") <= 255 THEN r."gatewayPaymentIntentId" END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION desk_derive_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_subscription_members := json_populate_record(NULL::desk_subscription_members, NEW.record);
  text_searched text;
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  NEW.status := r.status;
  NEW.page_id := r."pageId";
  NEW.amount := r.amount;
  NEW.currency := r.currency;
  NEW.livemode := r.livemode;
  text_searched := desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '') || chr(1) || coalesce(r.billing ->> 'name', ''));
  NEW.search := CASE WHEN octet_length(text_searched) <= 1000 THEN text_searched END;
  NEW.search_long := CASE WHEN octet_length(text_searched) > 1000 THEN text_searched END;
  NEW.gateway_id := CASE WHEN octet_length(r."gatewaySubscriptionId") <= 255 THEN r."gatewaySubscriptionId" END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION desk_derive_coupon() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_coupon_members := json_populate_record(NULL::desk_coupon_members, NEW.record);
  text_searched text;
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  text_searched := desk_fold(coalesce(r.label, '') || chr(1) || coalesce(r.code, ''));
  NEW.search := CASE WHEN octet_length(text_searched) <= 1000 THEN text_searched END;
  NEW.search_long := CASE WHEN octet_length(text_searched) > 1000 THEN text_searched END;
  NEW.gateway_id := CASE WHEN octet_length(r."gatewayCouponId") <= 255 THEN r."gatewayCouponId" END;
  RETURN NEW;
END $$;
--> statement-breakpoint
DROP TRIGGER derive ON payments;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, revenue, search, search_long, gateway_id
  ON payments FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
DROP TRIGGER derive ON bookings;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, revenue, search, search_long, gateway_id
  ON bookings FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
DROP TRIGGER derive ON subscriptions;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, search, search_long, gateway_id
  ON subscriptions FOR EACH ROW EXECUTE FUNCTION desk_derive_subscription();
--> statement-breakpoint
DROP TRIGGER derive ON coupons;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, search, search_long, gateway_id
  ON coupons FOR EACH ROW EXECUTE FUNCTION desk_derive_coupon();
--> statement-breakpoint
CREATE INDEX "payments_gateway" ON "payments" USING btree ("seller_id","gateway_id") WHERE "payments"."gateway_id" is not null;
--> statement-breakpoint
CREATE INDEX "bookings_gateway" ON "bookings" USING btree ("seller_id","gateway_id") WHERE "bookings"."gateway_id" is not null;
--> statement-breakpoint
CREATE INDEX "subscriptions_gateway" ON "subscriptions" USING btree ("seller_id","gateway_id") WHERE "subscriptions"."gateway_id" is not null;
--> statement-breakpoint
CREATE INDEX "coupons_gateway" ON "coupons" USING btree ("seller_id","gateway_id") WHERE "coupons"."gateway_id" is not null;
