ALTER TABLE "customers" DROP COLUMN "source";--> statement-breakpoint
ALTER TABLE "stripe_accounts" DROP COLUMN "changed_at";--> statement-breakpoint
ALTER TABLE "stripe_events" DROP COLUMN "worked_at";