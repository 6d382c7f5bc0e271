-- Every column but the owner, the record and its secrets follows from the record: no two copies can disagree.
-- The triggers fire on any write to a derived column too, and set it back. Fields of `search` are kept apart by chr(1),
-- which no search term may hold, so that a match never spans two of them. Each record is parsed once, into the members it takes.
CREATE TYPE desk_order_members AS ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text, amount numeric, currency text, livemode boolean, "customerEmail" text, "orderId" text);
--> statement-breakpoint
CREATE FUNCTION desk_derive_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_order_members := json_populate_record(NULL::desk_order_members, NEW.record);
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
  NEW.search := desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", ''));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TYPE desk_subscription_members AS ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text, amount numeric, currency text, livemode boolean, "customerEmail" text, "orderId" text, billing json);
--> statement-breakpoint
CREATE FUNCTION desk_derive_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_subscription_members := json_populate_record(NULL::desk_subscription_members, NEW.record);
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
  NEW.search := desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '') || chr(1) || coalesce(r.billing ->> 'name', ''));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TYPE desk_coupon_members AS ("sellerId" text, id text, "createdAt" timestamptz, label text, code text);
--> statement-breakpoint
CREATE FUNCTION desk_derive_coupon() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_coupon_members := json_populate_record(NULL::desk_coupon_members, NEW.record);
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  NEW.search := desk_fold(coalesce(r.label, '') || chr(1) || coalesce(r.code, ''));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TYPE desk_ticket_members AS ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text, "orderId" text, "customerName" text, "customerEmail" text, "ticketShortId" text);
--> statement-breakpoint
CREATE FUNCTION desk_derive_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r desk_ticket_members := json_populate_record(NULL::desk_ticket_members, NEW.record);
BEGIN
  IF r."sellerId" IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  NEW.id := r.id;
  NEW.created_at := r."createdAt";
  NEW.status := r.status;
  NEW.page_id := r."pageId";
  NEW.order_id := r."orderId";
  NEW.search := desk_fold(coalesce(r."customerName", '') || chr(1) || coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '') || chr(1) || coalesce(r."ticketShortId", ''));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, search
  ON payments FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, search
  ON bookings FOR EACH ROW EXECUTE FUNCTION desk_derive_order();
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, amount, currency, livemode, search
  ON subscriptions FOR EACH ROW EXECUTE FUNCTION desk_derive_subscription();
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, search
  ON coupons FOR EACH ROW EXECUTE FUNCTION desk_derive_coupon();
--> statement-breakpoint
CREATE TRIGGER derive BEFORE INSERT OR UPDATE OF seller_id, record, id, created_at, status, page_id, order_id, search
  ON tickets FOR EACH ROW EXECUTE FUNCTION desk_derive_ticket();
--> statement-breakpoint
-- A record of 2 to 8 kB stays in its row, unpacked: compressing it costs more of an import than the space is worth.
ALTER TABLE payments SET (toast_tuple_target = 8160);
--> statement-breakpoint
ALTER TABLE bookings SET (toast_tuple_target = 8160);
--> statement-breakpoint
ALTER TABLE subscriptions SET (toast_tuple_target = 8160);
