ALTER TABLE "check_ins" RENAME COLUMN "standing" TO "is_current";--> statement-breakpoint
ALTER TABLE "idempotency_keys" RENAME COLUMN "answer" TO "response";--> statement-breakpoint
ALTER TABLE "webhook_attempts" RENAME COLUMN "answer" TO "response";--> statement-breakpoint
ALTER INDEX "check_ins_standing" RENAME TO "check_ins_current";
