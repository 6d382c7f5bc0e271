-- desk_upper(text) and desk_lower(text): Unicode uppercase and lowercase, the same in every database. Under a Turkish or Azerbaijani locale,
-- upper('inr') is 'İNR', and lower('ID') is 'ıd'. The collation is that of desk_fold. With C, JavaScript's toUpperCase would differ for 'zł'.
DO $$
DECLARE
  unicode text := substring(pg_get_functiondef('desk_fold'::regproc) FROM 'COLLATE ([^)]+)');
  name text;
BEGIN
  FOREACH name IN ARRAY '{upper,lower}'::text[] LOOP
    EXECUTE format('CREATE FUNCTION desk_%1$s(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN %1$s(value COLLATE %2$s)', name, unicode);
  END LOOP;
END $$;
--> statement-breakpoint
-- Replaces upper and lower in our functions and views, which derive currencies and the digests of IDs. No index contains them.
DO $$
DECLARE
  call text := '\m(upper|lower)\(';
  deriving record;
BEGIN
  FOR deriving IN
    SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'desk\_%' AND prosrc ~ call
    UNION ALL
    SELECT format('CREATE OR REPLACE VIEW %I AS %s', viewname, definition) FROM pg_views
    WHERE schemaname = current_schema() AND viewname LIKE 'desk\_%' AND definition ~ call
  LOOP
    EXECUTE regexp_replace(deriving.definition, call, 'desk_\1(', 'g');
  END LOOP;
END $$;
--> statement-breakpoint
-- Corrects what is stored in a database with such a locale, or with the locale C, which changes only ASCII letters. In other databases, the
-- results are the same as before.
DO $$
DECLARE
  resource text;
BEGIN
  IF upper('ił') = desk_upper('ił') AND lower('IŁ') = desk_lower('IŁ') THEN
    RETURN;
  END IF;
  -- In the order in which writers lock the tables.
  LOCK TABLE payments, bookings, subscriptions IN SHARE ROW EXCLUSIVE MODE;
  FOREACH resource IN ARRAY '{payments,bookings,subscriptions}'::text[] LOOP
    EXECUTE format('UPDATE %I AS text SET currency = left(desk_upper(record.currency), 64)
      FROM %I AS record JOIN sellers ON sellers.id = record.seller_id
      WHERE text.seller = sellers.number AND text.id = decode(record.id, ''hex'')
        AND text.currency <> left(desk_upper(record.currency), 64) COLLATE "C"', resource || '_texts', resource);
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', resource);
    EXECUTE format($update$
      UPDATE %I SET customer_digest = hashtextextended(desk_lower(record ->> 'customerId'), 0), coupon_digest = hashtextextended(
        coalesce(desk_lower(record ->> 'couponId'), desk_lower(record -> 'coupon' ->> 'id'), 'code ' || desk_fold(record -> 'coupon' ->> 'code')), 0)
      WHERE lower(concat(record ->> 'customerId', record ->> 'couponId', record -> 'coupon' ->> 'id'))
        <> desk_lower(concat(record ->> 'customerId', record ->> 'couponId', record -> 'coupon' ->> 'id'))$update$, resource);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', resource);
  END LOOP;
  DELETE FROM rollups;
  INSERT INTO rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
  SELECT seller_id, found.resource, level, bucket, currency, page_id, own.slot, revenue, orders, refunds
  FROM (SELECT desk_slot() AS slot) AS own, (
    SELECT * FROM desk_rollups_of_payments UNION ALL SELECT * FROM desk_rollups_of_bookings UNION ALL SELECT * FROM desk_rollups_of_subscriptions
  ) AS found;
END $$;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "original_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "reinstated_at" timestamp with time zone;--> statement-breakpoint
-- Returns a ticket as the API does (lib/catalog/ticket.ts, parseTicketFacts and composeTicket), without its code. Its `updatedAt` also includes
-- the times at which its booking canceled it and made it valid again.
CREATE OR REPLACE FUNCTION desk_ticket(ticket tickets) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  facts jsonb := ticket.record;
  changed jsonb;
BEGIN
  SELECT jsonb_build_object('checkIns', coalesce(history.entries, '[]'), 'checkInStatus', ticket.check_in_status, 'metadata', ticket.metadata,
    'updatedAt', greatest(facts ->> 'updatedAt', desk_instant(greatest(ticket.door_at, ticket.revoked_at, ticket.reinstated_at))))
    || CASE WHEN history.entries IS NULL THEN '{}' ELSE jsonb_build_object('latestCheckIn', history.entries -> -1) END
  INTO changed FROM (
    SELECT jsonb_agg(CASE WHEN actor_id IS NULL THEN jsonb_build_object('method', method, 'checkedInAt', day, 'status', status)
      ELSE jsonb_build_object('method', method, 'checkedInAt', day, 'checkedInByUserId', actor_id, 'status', status) END ORDER BY sequence) AS entries
    FROM check_ins WHERE seller_id = ticket.seller_id AND ticket_id = ticket.id) AS history;
  IF ticket.revoked_at IS NOT NULL AND facts ->> 'status' <> 'CANCELED' THEN
    changed := changed || jsonb_build_object('status', 'CANCELED', 'canceledAt', desk_instant(ticket.revoked_at));
  END IF;
  RETURN facts || changed;
END $$;
