-- A trial no longer counts as revenue after it has ended: a subscription adds its monthly amount when its trial ends, and never if it was
-- canceled by then. Before, only the status decided, so a former trial counted from the creation of its subscription.
LOCK TABLE subscriptions IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
-- A subscription adds 1 to the orders when it was created, and its monthly amount to the revenue when it was created or its trial ended. One that
-- is canceled subtracts both when it was canceled, and adds 1 to the refunds. The sum up to an instant is therefore what was active then, and the
-- sum of everything what is active now. Orders include trials, revenue includes overdue subscriptions.
SELECT desk_attach_rollup_triggers('subscriptions', $$
  SELECT seller_id, change.at, currency, NULL::text AS page_id, change.billed * monthly.amount AS revenue,
    CASE WHEN status = 'past_due' THEN 0 ELSE change.active END AS orders, (change.active < 0)::int AS refunds
  FROM %s CROSS JOIN LATERAL (
    SELECT CASE WHEN status = 'trialing' THEN 0 ELSE round(coalesce(amount, 0)
      * CASE record ->> 'interval' WHEN 'day' THEN 365 WHEN 'week' THEN 52 WHEN 'month' THEN 12 WHEN 'year' THEN 1 ELSE 0 END
      / 12 / greatest(coalesce((record ->> 'intervalCount')::numeric, 1), 1), 6) END AS amount,
      CASE WHEN status = 'canceled' THEN greatest((record ->> 'canceledAt')::timestamptz, created_at) END AS ended_at
  ) AS monthly CROSS JOIN LATERAL (
    SELECT CASE WHEN (record ->> 'trialEnd')::timestamptz >= ended_at THEN NULL
      ELSE greatest((record ->> 'trialEnd')::timestamptz, created_at) END AS billed_at
  ) AS billing CROSS JOIN LATERAL (VALUES
    (created_at, 1, coalesce(billed_at = created_at, false)::int), (nullif(billed_at, created_at), 0, 1), (ended_at, -1, -(billed_at IS NOT NULL)::int)
  ) AS change (at, active, billed)
  WHERE livemode IS NOT FALSE AND change.at IS NOT NULL
    AND (status IN ('active', 'trialing', 'past_due') OR status = 'canceled' AND record ->> 'canceledAt' IS NOT NULL)
$$, $$('quarter', interval '15 minutes', false), ('day', '1 day', false)$$);
--> statement-breakpoint
DELETE FROM rollups WHERE resource = 'subscriptions';
--> statement-breakpoint
INSERT INTO rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
SELECT seller_id, resource, level, bucket, currency, page_id, own.slot, revenue, orders, refunds
FROM (SELECT desk_slot() AS slot) AS own, desk_rollups_of_subscriptions;
