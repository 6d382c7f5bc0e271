CREATE TABLE "offline_scans" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"ticket_id" text,
	"actor_id" text NOT NULL,
	"method" text NOT NULL,
	"decision" text NOT NULL,
	"is_override" boolean DEFAULT false NOT NULL,
	"is_decided" boolean DEFAULT false NOT NULL,
	"claimed_at" timestamp with time zone NOT NULL,
	"corrected_at" timestamp with time zone NOT NULL,
	"arrived_at" timestamp with time zone DEFAULT now() NOT NULL,
	"conflict" text,
	"reviewed_at" timestamp with time zone,
	"reviewed_by" text,
	"note" text,
	CONSTRAINT "offline_scans_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "listed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "unsent_scans" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "clock_offset_ms" integer;--> statement-breakpoint
ALTER TABLE "check_ins" ADD COLUMN "scan_id" text;--> statement-breakpoint
ALTER TABLE "offline_scans" ADD CONSTRAINT "offline_scans_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "offline_scans_ticket" ON "offline_scans" USING btree ("seller_id","ticket_id");--> statement-breakpoint
CREATE INDEX "offline_scans_open" ON "offline_scans" USING btree ("seller_id","corrected_at") WHERE conflict is not null and reviewed_at is null;