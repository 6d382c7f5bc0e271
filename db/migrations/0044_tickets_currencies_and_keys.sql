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
