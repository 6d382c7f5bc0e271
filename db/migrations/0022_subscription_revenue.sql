-- Adds monthly recurring revenue, and how many subscriptions ended, to the rollups of subscriptions.
DROP VIEW desk_rollups_of_subscriptions;
--> statement-breakpoint
DROP VIEW desk_facts_of_subscriptions;
--> statement-breakpoint
-- A subscription adds 1 to the orders, and its monthly amount to the revenue, when it was created. One that is canceled subtracts both when it
-- was canceled, and adds 1 to the refunds. The sum up to an instant is therefore what was active then, and the sum of everything what is active
-- now. Orders include trials, revenue includes overdue subscriptions.
SELECT desk_attach_rollup_triggers('subscriptions', $$
  SELECT seller_id, change.at, currency, NULL::text AS page_id, change.sign * monthly.amount AS revenue,
    CASE WHEN status = 'past_due' THEN 0 ELSE change.sign END AS orders, (change.sign < 0)::int AS refunds
  FROM %s CROSS JOIN LATERAL (
    SELECT CASE WHEN status = 'trialing' THEN 0 ELSE round(coalesce(amount, 0)
      * CASE record ->> 'interval' WHEN 'day' THEN 365 WHEN 'week' THEN 52 WHEN 'month' THEN 12 WHEN 'year' THEN 1 ELSE 0 END
      / 12 / greatest(coalesce((record ->> 'intervalCount')::numeric, 1), 1), 6) END AS amount
  ) AS monthly CROSS JOIN LATERAL (VALUES
    (created_at, 1), (CASE WHEN status = 'canceled' THEN greatest((record ->> 'canceledAt')::timestamptz, created_at) END, -1)
  ) AS change (at, sign)
  WHERE livemode IS NOT FALSE AND change.at IS NOT NULL
    AND (status IN ('active', 'trialing', 'past_due') OR status = 'canceled' AND record ->> 'canceledAt' IS NOT NULL)
$$);
--> statement-breakpoint
DELETE FROM rollups WHERE resource = 'subscriptions';
--> statement-breakpoint
INSERT INTO rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
SELECT seller_id, resource, level, bucket, currency, page_id, own.slot, revenue, orders, refunds
FROM (SELECT nextval('record_count_slots') AS slot) AS own, desk_rollups_of_subscriptions;
