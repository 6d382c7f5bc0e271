CREATE TABLE "events" (
	"seller_id" text NOT NULL,
	"id" text DEFAULT 'evt_' || lpad(to_hex(extract(epoch from now())::bigint), 8, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16) NOT NULL,
	"transaction_id" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"data" json NOT NULL,
	CONSTRAINT "events_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"seller_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"status" smallint,
	"error" text,
	"ms" real NOT NULL,
	"answer" text,
	CONSTRAINT "webhook_attempts_seller_id_endpoint_id_event_id_id_pk" PRIMARY KEY("seller_id","endpoint_id","event_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"seller_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_seller_id_endpoint_id_event_id_pk" PRIMARY KEY("seller_id","endpoint_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"events" text[] NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"secret" "bytea" NOT NULL,
	"old_secret" "bytea",
	"old_secret_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"disabled_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoints_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_order" ON "events" USING btree ("seller_id","transaction_id","sequence");--> statement-breakpoint
CREATE INDEX "webhook_attempts_age" ON "webhook_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_order" ON "webhook_deliveries" USING btree ("seller_id","endpoint_id","created_at","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("seller_id","endpoint_id","next_at") WHERE state = 'pending';--> statement-breakpoint
-- Events are inserted once and deleted after 30 days.
ALTER TABLE events SET (autovacuum_vacuum_insert_scale_factor = 0.05);
--> statement-breakpoint
-- Formats a time as the API does.
CREATE FUNCTION desk_instant(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
--> statement-breakpoint
-- Returns a ticket as the API does (lib/catalog/ticket.ts, factsOf and composeTicket), without its code.
CREATE FUNCTION desk_ticket(ticket tickets) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  facts jsonb := ticket.record;
  changed jsonb;
BEGIN
  SELECT jsonb_build_object('checkIns', coalesce(history.entries, '[]'), 'checkInStatus', ticket.check_in_status, 'metadata', ticket.metadata,
    'updatedAt', greatest(facts ->> 'updatedAt', desk_instant(ticket.door_at)))
    || CASE WHEN history.entries IS NULL THEN '{}' ELSE jsonb_build_object('latestCheckIn', history.entries -> -1) END
  INTO changed FROM (
    SELECT jsonb_agg(CASE WHEN actor_id IS NULL THEN jsonb_build_object('method', method, 'checkedInAt', day, 'status', status)
      ELSE jsonb_build_object('method', method, 'checkedInAt', day, 'checkedInByUserId', actor_id, 'status', status) END ORDER BY sequence) AS entries
    FROM check_ins WHERE seller_id = ticket.seller_id AND ticket_id = ticket.id) AS history;
  IF ticket.revoked_at IS NOT NULL AND facts ->> 'status' <> 'CANCELED' THEN
    changed := changed || jsonb_build_object('status', 'CANCELED', 'canceledAt', desk_instant(ticket.revoked_at),
      'updatedAt', greatest(changed ->> 'updatedAt', desk_instant(ticket.revoked_at)));
  END IF;
  RETURN facts || changed;
END $$;
--> statement-breakpoint
-- Writes the events of inserted or updated records. Arguments: the prefix of the types, and the statuses with a type of their own.
CREATE FUNCTION desk_write_record_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  prefix text := TG_ARGV[0];
  statuses text[] := TG_ARGV[1];
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO events (seller_id, type, data)
    SELECT seller_id, prefix || '.' || change, record
    FROM new_rows CROSS JOIN LATERAL (
      SELECT 'created' AS change UNION ALL SELECT record ->> 'status' WHERE record ->> 'status' = ANY (statuses)) AS changes;
  ELSE
    INSERT INTO events (seller_id, type, data)
    SELECT new_rows.seller_id, prefix || '.' || change, new_rows.record
    FROM new_rows JOIN old_rows ON old_rows.seller_id = new_rows.seller_id AND old_rows.id = new_rows.id
    CROSS JOIN LATERAL (
      SELECT 'updated' AS change
      UNION ALL SELECT new_rows.record ->> 'status' WHERE new_rows.record ->> 'status' = ANY (statuses)
        AND new_rows.record ->> 'status' IS DISTINCT FROM old_rows.record ->> 'status') AS changes
    WHERE new_rows.record::text <> old_rows.record::text;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Attaches the triggers that write a record table's events. Imports turn them off by setting desk.events to 'off'.
--   prefix    the first part of the types, such as 'payment'
--   statuses  the statuses with a type of their own, such as '{paid}' for payment.paid
CREATE FUNCTION desk_attach_event_triggers(records regclass, prefix text, statuses text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  operation text;
BEGIN
  FOREACH operation IN ARRAY ARRAY['INSERT', 'UPDATE'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT '
      'WHEN (current_setting(''desk.events'', true) IS DISTINCT FROM ''off'') EXECUTE FUNCTION desk_write_record_events(%L, %L)',
      CASE operation WHEN 'INSERT' THEN 'write_created_events' ELSE 'write_updated_events' END, operation, records,
      CASE operation WHEN 'INSERT' THEN 'NEW TABLE AS new_rows' ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, prefix, statuses);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT desk_attach_event_triggers('payments', 'payment', '{paid,refunded}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('bookings', 'booking', '{paid,refunded}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('subscriptions', 'subscription', '{canceled}');
--> statement-breakpoint
SELECT desk_attach_event_triggers('coupons', 'coupon', '{}');
--> statement-breakpoint
-- Writes the events of a new or changed ticket. AFTER triggers run at the end of the statement, so the ticket is read as the statement leaves it.
CREATE FUNCTION desk_write_ticket_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (seller_id, type, data)
  SELECT NEW.seller_id, 'ticket.' || change, desk_ticket(ticket)
  FROM tickets AS ticket CROSS JOIN LATERAL (
    SELECT CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END AS change
    UNION ALL SELECT 'canceled' WHERE NEW.status = 'CANCELED' AND (TG_OP = 'INSERT' OR OLD.status IS DISTINCT FROM 'CANCELED')) AS changes
  WHERE ticket.seller_id = NEW.seller_id AND ticket.id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER write_created_events AFTER INSERT ON tickets FOR EACH ROW
WHEN (current_setting('desk.events', true) IS DISTINCT FROM 'off') EXECUTE FUNCTION desk_write_ticket_events();
--> statement-breakpoint
-- A check-in changes the ticket too, and has events of its own.
CREATE TRIGGER write_updated_events AFTER UPDATE ON tickets FOR EACH ROW
WHEN (NEW.check_in_count = OLD.check_in_count AND current_setting('desk.events', true) IS DISTINCT FROM 'off'
  AND (NEW.record::text, NEW.metadata::text, NEW.revoked_at) IS DISTINCT FROM (OLD.record::text, OLD.metadata::text, OLD.revoked_at))
EXECUTE FUNCTION desk_write_ticket_events();
--> statement-breakpoint
-- Writes the event of a ticket's latest check-in or undo. Earlier entries, such as those of an imported history, have no event.
CREATE FUNCTION desk_write_check_in_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (seller_id, type, data)
  SELECT NEW.seller_id, CASE NEW.status WHEN 'CHECKEDIN' THEN 'ticket.checked_in' ELSE 'ticket.checked_out' END, desk_ticket(ticket)
  FROM tickets AS ticket
  WHERE ticket.seller_id = NEW.seller_id AND ticket.id = NEW.ticket_id AND ticket.check_in_count = NEW.sequence;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER write_event AFTER INSERT ON check_ins FOR EACH ROW
WHEN (current_setting('desk.events', true) IS DISTINCT FROM 'off') EXECUTE FUNCTION desk_write_check_in_event();
--> statement-breakpoint
-- Creates the deliveries of new events, in the same transaction.
CREATE FUNCTION desk_create_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (seller_id, endpoint_id, event_id)
  SELECT event.seller_id, endpoint.id, event.id
  FROM new_events AS event JOIN webhook_endpoints AS endpoint ON endpoint.seller_id = event.seller_id
  WHERE endpoint.enabled AND endpoint.events && ARRAY[event.type, '*'];
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER create_deliveries AFTER INSERT ON events REFERENCING NEW TABLE AS new_events
FOR EACH STATEMENT EXECUTE FUNCTION desk_create_deliveries();
