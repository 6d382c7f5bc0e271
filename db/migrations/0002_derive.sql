-- Every column but the owner, the record and its secrets follows from the record: no two copies can disagree.
-- The triggers fire on any write to a derived column too, and set it back. Fields of `search` are kept apart by chr(1),
-- which no search term may hold, so that a match never spans two of them.
CREATE FUNCTION desk_derive_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  SELECT r."sellerId", r.id, r."createdAt", r.status, r."pageId", r.amount, r.currency, r.livemode,
         desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", ''))
  INTO owner, NEW.id, NEW.created_at, NEW.status, NEW.page_id, NEW.amount, NEW.currency, NEW.livemode, NEW.search
  FROM json_to_record(NEW.record) AS r ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text,
    amount numeric, currency text, livemode boolean, "customerEmail" text, "orderId" text);
  IF owner IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION desk_derive_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  SELECT r."sellerId", r.id, r."createdAt", r.status, r."pageId", r.amount, r.currency, r.livemode,
         desk_fold(coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '') || chr(1) || coalesce(r.billing ->> 'name', ''))
  INTO owner, NEW.id, NEW.created_at, NEW.status, NEW.page_id, NEW.amount, NEW.currency, NEW.livemode, NEW.search
  FROM json_to_record(NEW.record) AS r ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text,
    amount numeric, currency text, livemode boolean, "customerEmail" text, "orderId" text, billing json);
  IF owner IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION desk_derive_coupon() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  SELECT r."sellerId", r.id, r."createdAt", desk_fold(coalesce(r.label, '') || chr(1) || coalesce(r.code, ''))
  INTO owner, NEW.id, NEW.created_at, NEW.search
  FROM json_to_record(NEW.record) AS r ("sellerId" text, id text, "createdAt" timestamptz, label text, code text);
  IF owner IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION desk_derive_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  SELECT r."sellerId", r.id, r."createdAt", r.status, r."pageId", r."orderId",
         desk_fold(coalesce(r."customerName", '') || chr(1) || coalesce(r."customerEmail", '') || chr(1) || coalesce(r."orderId", '')
           || chr(1) || coalesce(r."ticketShortId", ''))
  INTO owner, NEW.id, NEW.created_at, NEW.status, NEW.page_id, NEW.order_id, NEW.search
  FROM json_to_record(NEW.record) AS r ("sellerId" text, id text, "createdAt" timestamptz, status text, "pageId" text,
    "orderId" text, "customerName" text, "customerEmail" text, "ticketShortId" text);
  IF owner IS DISTINCT FROM NEW.seller_id THEN
    RAISE EXCEPTION 'a record of another seller' USING ERRCODE = 'check_violation';
  END IF;
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
