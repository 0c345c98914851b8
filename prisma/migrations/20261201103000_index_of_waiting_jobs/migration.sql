-- jobs_by_status begins with the same jobs in the same order.
DROP INDEX "jobs_waiting_since";
