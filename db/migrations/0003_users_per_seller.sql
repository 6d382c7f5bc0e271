DROP INDEX "users_email";--> statement-breakpoint
-- Addresses are stored as they are compared.
UPDATE "users" SET "email" = desk_fold("email") WHERE "email" <> desk_fold("email");--> statement-breakpoint
UPDATE "invitations" SET "email" = desk_fold("email") WHERE "email" <> desk_fold("email");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email","seller_id");
