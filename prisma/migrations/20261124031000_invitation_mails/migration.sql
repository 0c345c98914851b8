-- Finds the e-mails with invitations among all messages.
CREATE INDEX "notification_deliveries_invitations" ON "notification_deliveries" ("user_id", "created_at" DESC, "id" DESC)
  WHERE "event" = 'user.invited';
