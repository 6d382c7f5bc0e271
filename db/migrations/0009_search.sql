-- A search reads narrow indexes and never the wide rows: each list's order carries the text that is searched.
-- What an index carries may not be longer than a third of its page, so a text of over 1000 bytes is kept in `search_long` instead.
ALTER TABLE "payments" ADD COLUMN "search_long" text;
--> statement-breakpoint
ALTER TABLE "payments" ALTER COLUMN "search" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "search_long" text;
--> statement-breakpoint
ALTER TABLE "bookings" ALTER COLUMN "search" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "search_long" text;
--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "search" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "search_long" text;
--> statement-breakpoint
ALTER TABLE "coupons" ALTER COLUMN "search" DROP NOT NULL;
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
  RETURN NEW;
END $$;
--> statement-breakpoint
DROP TRIGGER derive ON payments;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, revenue, search, search_long
  ON payments FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
UPDATE payments SET record = record WHERE octet_length(search) > 1000;
--> statement-breakpoint
DROP INDEX "payments_order";
--> statement-breakpoint
DROP INDEX "payments_status";
--> statement-breakpoint
DROP INDEX "payments_page";
--> statement-breakpoint
DROP INDEX "payments_search";
--> statement-breakpoint
CREATE INDEX "payments_order" ON "payments" USING btree ("seller_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
-- By status, an order also carries what the overview adds up.
CREATE INDEX "payments_status" ON "payments" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","revenue","currency","page_id","livemode");
--> statement-breakpoint
CREATE INDEX "payments_page" ON "payments" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "payments_page_status" ON "payments" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "payments_search" ON "payments" USING gin ("search" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "payments_search_long" ON "payments" USING btree ("seller_id","id") WHERE "search_long" IS NOT NULL;
--> statement-breakpoint
-- Vacuum marks what an index may answer by itself; a fifth of a large table would be long to wait for.
ALTER TABLE "payments" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
DROP TRIGGER derive ON bookings;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, revenue, search, search_long
  ON bookings FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
UPDATE bookings SET record = record WHERE octet_length(search) > 1000;
--> statement-breakpoint
DROP INDEX "bookings_order";
--> statement-breakpoint
DROP INDEX "bookings_status";
--> statement-breakpoint
DROP INDEX "bookings_page";
--> statement-breakpoint
DROP INDEX "bookings_search";
--> statement-breakpoint
CREATE INDEX "bookings_order" ON "bookings" USING btree ("seller_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
-- By status, an order also carries what the overview adds up.
CREATE INDEX "bookings_status" ON "bookings" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","revenue","currency","page_id","livemode");
--> statement-breakpoint
CREATE INDEX "bookings_page" ON "bookings" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "bookings_page_status" ON "bookings" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "bookings_search" ON "bookings" USING gin ("search" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "bookings_search_long" ON "bookings" USING btree ("seller_id","id") WHERE "search_long" IS NOT NULL;
--> statement-breakpoint
-- Vacuum marks what an index may answer by itself; a fifth of a large table would be long to wait for.
ALTER TABLE "bookings" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
DROP TRIGGER derive ON subscriptions;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, search, search_long
  ON subscriptions FOR EACH ROW EXECUTE FUNCTION desk_derive_subscription();
--> statement-breakpoint
UPDATE subscriptions SET record = record WHERE octet_length(search) > 1000;
--> statement-breakpoint
DROP INDEX "subscriptions_order";
--> statement-breakpoint
DROP INDEX "subscriptions_status";
--> statement-breakpoint
DROP INDEX "subscriptions_page";
--> statement-breakpoint
DROP INDEX "subscriptions_search";
--> statement-breakpoint
CREATE INDEX "subscriptions_order" ON "subscriptions" USING btree ("seller_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "subscriptions_status" ON "subscriptions" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","livemode");
--> statement-breakpoint
CREATE INDEX "subscriptions_page" ON "subscriptions" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "subscriptions_page_status" ON "subscriptions" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "subscriptions_search" ON "subscriptions" USING gin ("search" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "subscriptions_search_long" ON "subscriptions" USING btree ("seller_id","id") WHERE "search_long" IS NOT NULL;
--> statement-breakpoint
-- Vacuum marks what an index may answer by itself; a fifth of a large table would be long to wait for.
ALTER TABLE "subscriptions" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
DROP TRIGGER derive ON coupons;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, search, search_long
  ON coupons FOR EACH ROW EXECUTE FUNCTION desk_derive_coupon();
--> statement-breakpoint
UPDATE coupons SET record = record WHERE octet_length(search) > 1000;
--> statement-breakpoint
DROP INDEX "coupons_order";
--> statement-breakpoint
DROP INDEX "coupons_search";
--> statement-breakpoint
CREATE INDEX "coupons_order" ON "coupons" USING btree ("seller_id","created_at","id") INCLUDE ("search");
--> statement-breakpoint
CREATE INDEX "coupons_search" ON "coupons" USING gin ("search" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "coupons_search_long" ON "coupons" USING btree ("seller_id","id") WHERE "search_long" IS NOT NULL;
--> statement-breakpoint
-- Vacuum marks what an index may answer by itself; a fifth of a large table would be long to wait for.
ALTER TABLE "coupons" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
