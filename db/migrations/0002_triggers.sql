-- The triggers of the record tables, attached by the function of 0000_extensions_and_functions.sql.
SELECT desk_attach_record_triggers('payments', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
SELECT desk_attach_record_triggers('bookings', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
SELECT desk_attach_record_triggers('subscriptions', searched => '{customerEmail,orderId,billing.name}', gateway_id => 'gatewaySubscriptionId');
--> statement-breakpoint
SELECT desk_attach_record_triggers('coupons', searched => '{label,code}', gateway_id => 'gatewayCouponId');
--> statement-breakpoint
-- Tickets have no totals: the door reads them by page.
SELECT desk_attach_record_triggers('tickets', searched => '{customerName,customerEmail,orderId,ticketShortId}', counted => false);
