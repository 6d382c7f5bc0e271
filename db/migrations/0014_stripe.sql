CREATE TABLE "stripe_accounts" (
	"seller_id" text PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"created" bigint NOT NULL,
	"links" text[] NOT NULL,
	"payload" json NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"worked_at" timestamp with time zone,
	CONSTRAINT "stripe_events_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
ALTER TABLE "stripe_accounts" ADD CONSTRAINT "stripe_accounts_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_events" ADD CONSTRAINT "stripe_events_seller_id_stripe_accounts_seller_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."stripe_accounts"("seller_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stripe_events_links" ON "stripe_events" USING gin ("seller_id","links");--> statement-breakpoint
CREATE INDEX "stripe_events_order" ON "stripe_events" USING btree ("seller_id","created","id");--> statement-breakpoint
CREATE INDEX "stripe_events_open" ON "stripe_events" USING btree ("seller_id","state","created","id") WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX "stripe_events_age" ON "stripe_events" USING btree ("created");--> statement-breakpoint
CREATE INDEX "bookings_gateway" ON "bookings" USING btree ("seller_id",md5("record" ->> 'gatewayPaymentIntentId'));--> statement-breakpoint
CREATE INDEX "coupons_gateway" ON "coupons" USING btree ("seller_id",md5("record" ->> 'gatewayCouponId'));--> statement-breakpoint
CREATE INDEX "payments_gateway" ON "payments" USING btree ("seller_id",md5("record" ->> 'gatewayPaymentIntentId'));--> statement-breakpoint
CREATE INDEX "subscriptions_gateway" ON "subscriptions" USING btree ("seller_id",md5("record" ->> 'gatewaySubscriptionId'));