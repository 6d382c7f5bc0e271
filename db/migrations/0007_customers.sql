CREATE TABLE "customers" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text,
	"search_long" text,
	"gateway_id" text,
	"secrets" json,
	"source" text DEFAULT 'import' NOT NULL,
	CONSTRAINT "customers_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE INDEX "customers_order" ON "customers" USING btree ("seller_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "customers_search" ON "customers" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "customers_search_long" ON "customers" USING btree ("seller_id","id") WHERE "customers"."search_long" is not null;--> statement-breakpoint
CREATE INDEX "customers_gateway" ON "customers" USING btree ("seller_id","gateway_id") WHERE "customers"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "bookings_customer" ON "bookings" USING btree (hashtextextended(lower("record" ->> 'customerId'), 0)) WHERE ("bookings"."record" ->> 'customerId') is not null;--> statement-breakpoint
CREATE INDEX "payments_customer" ON "payments" USING btree (hashtextextended(lower("record" ->> 'customerId'), 0)) WHERE ("payments"."record" ->> 'customerId') is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree (hashtextextended(lower("record" ->> 'customerId'), 0)) WHERE ("subscriptions"."record" ->> 'customerId') is not null;
--> statement-breakpoint
ALTER TABLE "customers" SET (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
SELECT desk_attach_record_triggers('customers', searched => '{email,name,companyName}', gateway_id => 'gatewayCustomerId');
--> statement-breakpoint
SELECT desk_attach_event_triggers('customers', 'customer', '{}');
